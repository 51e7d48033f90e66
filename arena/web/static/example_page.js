// The entry of pages that link their scripts: it brings the picture in the rules and the viewer of the game together.
import { show } from "./example.js";

const { viewer } = document.querySelector("figure.example").dataset;
show(await import(new URL(viewer, document.baseURI).href));
