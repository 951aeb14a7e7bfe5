// Saves the chart that stands in the same box as a PNG, in the browser: what is downloaded is what is seen.
const READY = new WeakSet();

function picture(box) {
  const background = getComputedStyle(document.querySelector(".stApp")).backgroundColor;
  const source = box.querySelector("canvas");
  const copy = document.createElement("canvas");
  copy.width = source.width;
  copy.height = source.height;
  const pen = copy.getContext("2d");
  pen.fillStyle = background;
  pen.fillRect(0, 0, copy.width, copy.height);
  pen.drawImage(source, 0, 0);
  return copy.toDataURL("image/png");
}

export default function ({ data, parentElement }) {
  parentElement.box = data;
  if (READY.has(parentElement)) return;
  READY.add(parentElement);
  const button = document.createElement("button");
  button.type = "button";
  const icon = document.createElement("span");
  icon.className = "icon";
  icon.textContent = "image";
  icon.setAttribute("aria-hidden", "true");
  button.append(icon, "PNG");
  button.addEventListener("click", () => {
    const box = document.querySelector(`.${CSS.escape(parentElement.box.box)}`);
    const link = document.createElement("a");
    link.download = `${parentElement.box.name}.png`;
    link.href = picture(box);
    link.click();
  });
  parentElement.append(button);
}
