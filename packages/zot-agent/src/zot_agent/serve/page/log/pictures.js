// Pictures of a conversation. Messages have their ids; the data comes when a picture is near the place that is seen.

import { made } from "../dom.js";

const KINDS = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]); // nothing that can hold a script

const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    target.load();
  }
}, { rootMargin: "600px" });

// The element of an image block. `ask` sends a command and returns a promise of the data.
export function picture({ id, mime_type: kind, source = "" }, ask) {
  const element = made("figure", "image");
  const words = source ? source.split("/").at(-1) : "Picture";
  if (!KINDS.has(kind)) {
    element.append(made("figcaption", "quiet", `${words}: ${kind} is not shown`));
    return element;
  }
  element.append(made("figcaption", "quiet", words));
  element.load = async () => {
    try {
      const { mime_type: type, data } = await ask("get_image", { image: id });
      if (!KINDS.has(type) || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) throw new Error("no picture");
      const image = made("img");
      image.alt = source || "Picture of the conversation";
      image.src = `data:${type};base64,${data}`;
      element.prepend(image);
    } catch {
      element.firstChild.textContent = `${words} cannot be loaded`;
    }
  };
  near.observe(element);
  return element;
}
