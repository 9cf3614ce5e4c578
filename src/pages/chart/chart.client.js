// The script of charts: shows the values of a day beside it, where the pointer is or which the arrow keys choose. Without it, each day is a
// link with the same text as its name.

for (const chart of document.querySelectorAll(".daily-chart")) {
  const plot = chart.querySelector(".plot");
  const days = [...plot.querySelectorAll("a")];
  const readout = chart.querySelector(".readout");
  const summary = readout.textContent;
  const tip = Object.assign(document.createElement("div"), { className: "chart-tip", hidden: true });
  tip.setAttribute("aria-hidden", "true");
  chart.querySelector(".chart-body").append(tip);
  let shown;
  let followsTouch = true;

  const show = (day) => {
    shown?.classList.remove("shown");
    day?.classList.add("shown");
    shown = day;
    readout.textContent = day ? day.getAttribute("aria-label") : summary;
    tip.hidden = !day;
    if (day) placeTip(day);
  };
  // Beside the day, on the side with more room.
  const placeTip = (day) => {
    const label = day.getAttribute("aria-label");
    tip.textContent = label.replace(" (", "\n").replace(/\)$/, "").replaceAll(",\n", "\n");
    const box = plot.getBoundingClientRect();
    const { left, right } = day.querySelector(".area").getBoundingClientRect();
    const start = chart.querySelector(".chart-body").getBoundingClientRect().left;
    const isLeft = left - box.left > box.width / 2;
    tip.style.left = `${Math.max(isLeft ? left - start - tip.offsetWidth - 6 : right - start + 6, 0)}px`;
  };
  // One day at a time can be reached with Tab, and the others with the arrow keys.
  const choose = (day) => {
    for (const each of days) each.setAttribute("tabindex", each === day ? "0" : "-1");
  };
  const dayAt = ({ clientX }) => {
    const { left, width } = plot.getBoundingClientRect();
    const index = Math.floor(((clientX - left) / width) * days.length);
    return days[Math.min(Math.max(index, 0), days.length - 1)];
  };

  choose(days.at(-1));
  chart.querySelector(".skip-chart").remove();

  plot.addEventListener("pointerdown", (event) => {
    // A first touch shows the day, and a second one opens it.
    followsTouch = event.pointerType !== "touch" || shown === dayAt(event);
    show(dayAt(event));
  });
  plot.addEventListener("pointermove", (event) => show(dayAt(event)));
  plot.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType !== "touch") show(days.find((day) => day === document.activeElement));
  });
  plot.addEventListener("click", (event) => {
    if (!followsTouch) event.preventDefault();
    followsTouch = true;
  });
  // On the links: with such a listener, Chromium would make the whole plot a stop for Tab.
  for (const [index, day] of days.entries()) {
    day.addEventListener("focus", () => {
      choose(day);
      show(day);
    });
    day.addEventListener("blur", () => show());
    day.addEventListener("keydown", (event) => {
      const last = days.length - 1;
      const next = {
        ArrowLeft: Math.max(index - 1, 0),
        ArrowRight: Math.min(index + 1, last),
        Home: 0,
        End: last,
      }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      days[next].focus();
    });
  }
}
