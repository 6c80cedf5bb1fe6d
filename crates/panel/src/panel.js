"use strict";
// Shows the pictures of the simulator, and sends it the user's requests.

const byId = (id) => document.getElementById(id);
const canvas = byId("leds");
const context = canvas.getContext("2d");
const CLOCK_MHZ = 25;

let machine = null;
let pitch = 10; // pixels of an LED
let frame = null;
let leds = null;
let drawn = null;
let selected = null; // index of the place
let askedAt = 0;

const colours = Array.from({ length: 256 }, (_, brightness) => {
  const scaled = (dark, bright) => Math.round(dark + ((bright - dark) * brightness) / 255);
  return `rgb(${scaled(42, 255)}, ${scaled(16, 70)}, ${scaled(16, 48)})`;
});

const grouped = (number) => number.toLocaleString("en-US");

function say(text, isAlert) {
  const state = byId("state");
  if (state.textContent !== text) state.textContent = text;
  state.classList.toggle("alert", Boolean(isAlert));
}

function draw() {
  for (let place = 0; place < leds.length; place++) {
    if (drawn && drawn[place] === leds[place]) continue;
    const x = (place % machine.columns) * pitch;
    const y = Math.floor(place / machine.columns) * pitch;
    context.fillStyle = "#0c0c0e";
    context.fillRect(x, y, pitch, pitch);
    context.fillStyle = colours[leds[place]];
    context.beginPath();
    context.arc(x + pitch / 2, y + pitch / 2, pitch * 0.43, 0, 2 * Math.PI);
    context.fill();
  }
  drawn = leds;
}

function describe() {
  let lit = 0;
  for (const led of leds) lit += led > 0 ? 1 : 0;
  byId("superframe").textContent = grouped(frame.superframe);
  byId("phase").textContent = `${frame.phase} of ${machine.period}`;
  byId("exchange").textContent = grouped(frame.exchanges ?? 0);
  byId("label").textContent = frame.label || "none";
  byId("time").textContent = `${(frame.clock_cycles / CLOCK_MHZ / 1000).toFixed(3)} ms`;
  byId("rate").textContent = `${frame.rate.toPrecision(3)} superframes/s`;
  byId("lit").textContent = `${grouped(lit)} of ${grouped(leds.length)}`;
  canvas.setAttribute("aria-label", `${lit} of ${leds.length} LEDs are on, superframe ${frame.superframe}`);
  const running = frame.state === "running";
  byId("run").textContent = running ? "Pause" : "Run";
  const still = ["resting", "ended", "stopped"].includes(frame.state);
  for (const control of document.querySelectorAll("#controls button")) control.disabled = still;
  const states = {
    starting: "The machine starts.",
    running: "Running.",
    paused: "Paused.",
    resting: "The clock rests until a message comes.",
  };
  say(states[frame.state] ?? (frame.message || "The run has ended."));
  const speed = byId("speed");
  const value = frame.speed === null ? "" : String(frame.speed);
  if (document.activeElement !== speed && [...speed.options].some((o) => o.value === value)) speed.value = value;
}

function moveCursor() {
  const cursor = byId("cursor");
  cursor.hidden = selected === null;
  if (selected === null) return;
  const size = canvas.clientWidth / machine.columns;
  const row = Math.floor(selected / machine.columns);
  cursor.style.left = `${canvas.offsetLeft + (selected % machine.columns) * size}px`;
  cursor.style.top = `${canvas.offsetTop + row * size}px`;
  cursor.style.width = `${size}px`;
  cursor.style.height = `${size}px`;
}

function paragraph(text) {
  const element = document.createElement("p");
  element.textContent = text;
  return element;
}

async function showNode() {
  if (selected === null) return;
  const place = selected;
  askedAt = performance.now();
  let view;
  try {
    const answer = await fetch(`node?address=${machine.nodes[place]}`);
    if (!answer.ok) {
      const text = await answer.text();
      if (place === selected) byId("node").replaceChildren(paragraph(`No state of this node: ${text.trim()}.`));
      return;
    }
    view = await answer.json();
  } catch {
    return;
  }
  if (place !== selected) return;
  const lines = [
    paragraph(`Address 0x${view.node.toString(16).toUpperCase()}, row ${view.row}, column ${view.column}`),
    paragraph(`Brightness ${view.led}. The core is ${view.core}.`),
  ];
  if (view.program.length) {
    const calls = document.createElement("ol");
    for (const position of view.program) {
      const item = document.createElement("li");
      item.textContent = position;
      calls.append(item);
    }
    lines.push(paragraph("Last instruction, and the calls that led there:"), calls);
  }
  const counters = document.createElement("dl");
  for (const [name, value] of view.counters) {
    const row = document.createElement("div");
    const term = document.createElement("dt");
    const number = document.createElement("dd");
    term.textContent = name;
    number.textContent = grouped(value);
    row.append(term, number);
    counters.append(row);
  }
  byId("node").replaceChildren(...lines, counters);
}

function select(place) {
  selected = place;
  moveCursor();
  showNode();
}

async function control(command) {
  try {
    await fetch("control", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(command),
    });
  } catch {
    // The next request for a picture reports it.
  }
}

const isOff = () => byId("run").disabled;
const toggle = () => isOff() || control({ action: frame && frame.state === "running" ? "pause" : "run" });
const step = (unit) => isOff() || control({ action: "step", unit });

byId("run").addEventListener("click", toggle);
for (const button of document.querySelectorAll("[data-unit]"))
  button.addEventListener("click", () => step(button.dataset.unit));
byId("speed").addEventListener("change", (event) => {
  const value = event.target.value;
  control({ action: "speed", superframes_per_second: value === "" ? null : Number(value) });
});

canvas.addEventListener("click", (event) => {
  if (!machine) return;
  const column = Math.floor((event.offsetX / canvas.clientWidth) * machine.columns);
  const row = Math.floor((event.offsetY / canvas.clientHeight) * machine.rows);
  if (column >= 0 && column < machine.columns && row >= 0 && row < machine.rows)
    select(row * machine.columns + column);
});

canvas.addEventListener("keydown", (event) => {
  if (!machine || event.ctrlKey || event.metaKey || event.altKey) return;
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const units = { p: "phase", s: "superframe", c: "change" };
  if (machine.counts_exchanges) units.e = "exchange";
  if (event.key in moves) {
    const [down, right] = moves[event.key];
    const from = selected === null ? 0 : selected;
    const row = Math.floor(from / machine.columns);
    // The neighbours across an edge are neighbours in the cube, too.
    const wrap = (at, length) => (at + length) % length;
    const place = wrap(row + down, machine.rows) * machine.columns + wrap((from % machine.columns) + right, machine.columns);
    select(selected === null ? 0 : place);
  } else if (event.key === " ") {
    toggle();
  } else if (event.key.toLowerCase() in units) {
    step(units[event.key.toLowerCase()]);
  } else {
    return;
  }
  event.preventDefault();
});

window.addEventListener("resize", () => machine && moveCursor());

async function next() {
  const answer = await fetch(`frame?after=${frame ? frame.sequence : 0}`);
  if (answer.status === 204) return;
  if (!answer.ok) throw new Error(await answer.text());
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const end = bytes.indexOf(10);
  frame = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  leds = bytes.subarray(end + 1);
  draw();
  describe();
  if (performance.now() - askedAt > 500) showNode();
}

async function load() {
  machine = await (await fetch("machine")).json();
  byId("title").textContent = machine.title;
  for (const part of document.querySelectorAll("[data-unit=exchange], #exchanges, #exchange-key"))
    part.hidden = !machine.counts_exchanges;
  document.title = `${machine.title} - Phasecube panel`;
  // Twice the width of the panel on the page, for sharp edges on fine screens.
  pitch = Math.max(10, Math.floor(1408 / machine.columns));
  canvas.width = machine.columns * pitch;
  canvas.height = machine.rows * pitch;
  frame = null;
  drawn = null;
  moveCursor();
}

async function main() {
  for (;;) {
    try {
      if (!machine) await load();
      await next();
    } catch {
      // Another run may answer later, with another machine.
      machine = null;
      frame = null;
      say("The simulator does not answer. It has ended, or was stopped.", true);
      await new Promise((done) => setTimeout(done, 1000));
    }
  }
}

main();
