"""What the documentation site has beside the pages in docs/."""
