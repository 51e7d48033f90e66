// The entry of pages that link their scripts: it brings the player and the viewer of the page's game together.
import { start } from "./player.js";

const { viewer } = document.querySelector(".player").dataset;
await start(await import(new URL(viewer, document.baseURI).href));
