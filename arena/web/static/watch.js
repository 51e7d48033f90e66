// The entry of pages that link their scripts: it brings the player and the viewer of the page's game together.
import { start } from "./player.js";

const { viewer, events } = document.querySelector(".player").dataset;
const player = await start(await import(new URL(viewer, document.baseURI).href));
if (events && player.data.live) (await import("./live.js")).followMatch(player, events);
