// A card's QR code leads here with its token behind the #, which no server is sent: it fills the form, and is then
// taken out of the address, so that it stays in no history.

const field = document.querySelector('input[name="token"]');
const token = location.hash.slice(1);

if (token) {
  history.replaceState(null, "", location.pathname);
  field.value = decodeURIComponent(token);
  field.form.querySelector("button").focus();
}
