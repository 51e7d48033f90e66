// The form of an upload: drag and drop, progress, and what went wrong in a sentence. Without this it is a plain form.

const form = document.getElementById("upload");

const find = (selector) => form.querySelector(selector);

function complain(words) {
  const place = find('[role="alert"]');
  place.textContent = words;
  place.hidden = !words;
}

/** A new key: the upload that failed is over, and what is sent next is another one. */
function renewKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(18));
  form.elements.key.value = btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
}

function finish(words) {
  find(".progress").hidden = true;
  find("button").disabled = false;
  complain(words);
  renewKey();
}

const size = (bytes) => `${(bytes / 1048576).toFixed(1)} MiB`;

function answer(request) {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return {};
  }
}

function send() {
  const file = form.elements.file.files[0];
  if (file.size > Number(form.dataset.most)) {
    complain(`This file has ${size(file.size)}, more than the ${size(Number(form.dataset.most))} that are taken`);
    return;
  }
  complain("");
  find("button").disabled = true;
  find(".progress").hidden = false;
  const bar = find("progress"),
    words = find('[role="status"]');
  const request = new XMLHttpRequest();
  request.open("POST", form.action);
  request.setRequestHeader("Accept", "application/json");
  request.upload.addEventListener("progress", (event) => {
    if (!event.lengthComputable) return;
    bar.value = (100 * event.loaded) / event.total;
    words.textContent = event.loaded < event.total ? `${size(event.loaded)} of ${size(event.total)}` : "Almost there";
  });
  request.addEventListener("load", () => {
    const { page, error } = answer(request);
    if (page) location.assign(new URL(page, form.action));
    else finish(error ?? "The server did not take it: try again");
  });
  for (const kind of ["error", "abort", "timeout"]) {
    request.addEventListener(kind, () => finish("The connection was lost: try again"));
  }
  request.send(new FormData(form));
}

function takeDrops(place) {
  find(".dropping").hidden = false;
  for (const kind of ["dragenter", "dragover"]) {
    place.addEventListener(kind, (event) => {
      event.preventDefault();
      place.classList.add("over");
    });
  }
  for (const kind of ["dragleave", "drop"]) place.addEventListener(kind, () => place.classList.remove("over"));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) form.elements.file.files = event.dataTransfer.files;
  });
}

if (form) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    send();
  });
  takeDrops(document.getElementById("drop"));
}
