// What scrolls sideways can be reached with the keyboard, and what is hidden from readers cannot.
const reach = () => {
  for (const each of document.querySelectorAll(".md-typeset__scrollwrap, .highlight pre, .highlight code")) {
    if (each.scrollWidth > each.clientWidth) each.tabIndex = 0;
  }
  // The name that is read begins with the one that is seen.
  for (const each of document.querySelectorAll(".md-version__current")) each.ariaLabel = `${each.textContent}, select version`;
};
for (const each of document.querySelectorAll("input[aria-hidden=true]")) each.tabIndex = -1;
new MutationObserver(reach).observe(document, { subtree: true, childList: true });
addEventListener("resize", reach);
reach();
