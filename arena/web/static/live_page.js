// The entry of served pages with sections that are live.
import { followPage } from "./live.js";

followPage(document.querySelector("main").dataset.events);
