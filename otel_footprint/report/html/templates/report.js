"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const copy = (node) => {
    const made = node.cloneNode(true);
    made.removeAttribute("id");
    made.querySelectorAll("[id]").forEach((each) => each.removeAttribute("id"));
    return made;
  };
  const items = (list, most) => {
    const out = [];
    for (const item of list ? list.children : []) {
      if (out.length >= most) break;
      const earlier = item.dataset.list && byId(item.dataset.list);
      const count = Math.min(most - out.length, Number(item.dataset.count));
      out.push(...(earlier ? items(earlier, count) : [item]));
    }
    return out.slice(0, most);
  };
  const fill = (details) => {
    const { text, list, count } = details.dataset;
    const body = details.querySelector(":scope > .later");
    if (!body || body.dataset.full) return;
    const from = byId(text || list);
    if (!from) return;
    body.dataset.full = "1";
    if (text) {
      body.replaceChildren(...Array.from(from.children, copy));
    } else {
      const made = document.createElement("ol");
      made.className = "pieces";
      made.append(...items(from, Number(count)).map(copy));
      body.replaceChildren(made);
    }
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.open) fill(event.target);
  }, true);
  const reveal = () => {
    const target = location.hash.length > 1 && byId(decodeURIComponent(location.hash.slice(1)));
    for (let at = target; at; at = at.parentElement) {
      if (at.localName === "details") at.open = true;
    }
    if (target) target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  addEventListener("DOMContentLoaded", reveal);
})();
