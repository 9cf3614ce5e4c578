/**
 * The script of charts: shows the values of a day beside it, where the pointer is or which the arrow keys choose. Without it,
 * each day is a link with the same text as its name.
 */
export function script() {
  function start(chart) {
    const plot = chart.querySelector(".plot");
    const days = [...plot.querySelectorAll("a")];
    const tip = Object.assign(document.createElement("div"), { className: "chart-tip", hidden: true });
    tip.setAttribute("aria-hidden", "true");
    chart.append(tip);
    let shown;
    let followsTouch = true;

    const show = (day) => {
      shown?.classList.remove("shown");
      day?.classList.add("shown");
      shown = day;
      tip.hidden = !day;
      if (day) {
        fillTip(day);
        placeTip(day);
      }
    };
    // A line for each value of the label, with the mark that the legend has of it.
    const fillTip = (day) => {
      const label = day.getAttribute("aria-label");
      const start = label.indexOf(" (");
      const texts = start < 0 ? [] : label.slice(start + 2, -1).split(",\n");
      const marks = day.dataset.marks?.split(" ") ?? [];
      const title = start < 0 ? label : label.slice(0, start);
      const lines = [title, ...texts].map((text, index) => {
        const [line, name, amount] = ["div", "bdi", "span"].map((tag) => document.createElement(tag));
        const key = marks[index - 1];
        const mark = key && chart.querySelector(`.legend tr[data-mark="${key}"] svg`);
        // Amounts have no plain spaces. What has no mark, and what is not final, has no amount.
        const end = index === 0 || (mark && key !== "open") ? text.lastIndexOf(" ") : text.length;
        // As in the legend, the links above the named one give way first.
        name.textContent = text.slice(0, end).replace(/^(.+) › (.+)/, "$2 · $1");
        name.dir = "ltr";
        amount.textContent = text.slice(end);
        line.append(mark ? mark.cloneNode(true) : "", name, amount);
        return line;
      });
      tip.replaceChildren(...lines);
    };
    // In the window, beside the day, on the side of the plot with more room if it fits. On a phone, the stylesheet has it below the chart.
    const placeTip = (day) => {
      const { left, right, top } = chart.getBoundingClientRect();
      const [box, area] = [plot, day.querySelector(".area")].map((one) => one.getBoundingClientRect());
      const { offsetWidth: width, offsetHeight: height } = tip;
      const before = area.left - width - 6;
      const isBefore = area.left - box.left > box.right - area.right && before > left;
      const x = isBefore ? before : Math.min(area.right + 6, right - width);
      const y = Math.max(Math.min(box.top, innerHeight - height - 4), 0);
      tip.style.setProperty("--x", `${x - left}px`);
      tip.style.setProperty("--y", `${y - top}px`);
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
      if (!followsTouch) tip.scrollIntoView({ block: "nearest" });
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

  // Also those of a part of the page that was replaced. A chart that has started has no link to skip it.
  const startAll = () => document.querySelectorAll(".daily-chart:has(.skip-chart)").forEach(start);
  addEventListener("replaced", startAll);
  startAll();
}
