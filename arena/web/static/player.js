// The replay player.
async function start(viewer) { console.log(viewer); }
export { start };
