// Checks the page that contains this script, and prints one line for each fault.
const faults = [];
const add = (text) => faults.push(text);
document.querySelectorAll('details').forEach((d) => { d.open = true; });
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width) add(`the page is ${document.documentElement.scrollWidth} pixels wide`);

// Visible texts with their boxes. What a scrolling region hides has no box.
const texts = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  const node = walker.currentNode, parent = node.parentElement;
  if (!node.data.trim() || parent.closest('script, title, desc, style')) continue;
  const range = document.createRange();
  range.selectNodeContents(node);
  const region = parent.closest('.scroll');
  for (const box of range.getClientRects()) {
    if (box.width === 0) continue;
    if (region && box.right > region.getBoundingClientRect().right) continue;
    texts.push({ node, parent, box });
  }
}
texts.sort((a, b) => a.box.top - b.box.top);
texts.forEach((a, i) => {
  for (let j = i + 1; j < texts.length && texts[j].box.top < a.box.bottom - 2; j += 1) {
    const b = texts[j];
    // The box of a letter is higher than the letter.
    const down = Math.min(a.box.bottom, b.box.bottom) - b.box.top;
    const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
    const height = Math.min(a.box.height, b.box.height);
    if (across > 1 && down > 0.3 * height) add(`"${a.node.data}" overlaps "${b.node.data}"`);
  }
});

for (const region of document.querySelectorAll('.scroll')) {
  const name = region.getAttribute('aria-label');
  const scrolls = region.scrollWidth > region.clientWidth;
  if (scrolls && width >= 1100) add(`the table "${name}" is cut`);
  const style = getComputedStyle(region);
  const marked = style.backgroundImage.split('linear-gradient').length === 5;
  if (style.overflowX !== 'auto' || !marked) add(`the table "${name}" does not show that it scrolls`);
  region.scrollLeft = 1000;
  for (const cell of region.querySelectorAll('th[scope=row], thead th:first-child')) {
    const moved = cell.getBoundingClientRect().left - region.getBoundingClientRect().left;
    if (Math.abs(moved) > 1) add(`the table "${name}" scrolls its first column away`);
  }
  region.scrollLeft = 0;
}
for (const text of document.querySelectorAll('svg text')) {
  const box = text.getBoundingClientRect(), area = text.closest('svg').getBoundingClientRect();
  if (box.width === 0) continue;
  const letters = text.textContent.trim().length;
  if (letters > 80) add(`${letters} letters in a line of "${text.textContent}"`);
  if (box.left < area.left - 1 || box.right > area.right + 1 || box.bottom > area.bottom + 1) add(`"${text.textContent}" is cut`);
}

// Lines of a paragraph: words of the same height.
for (const block of document.querySelectorAll('p, li, pre, td, th, h1, h2, h3, summary, figcaption')) {
  const lines = new Map();
  const words = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const { data } = words.currentNode;
    for (const word of data.matchAll(/\S+/g)) {
      const range = document.createRange();
      range.setStart(words.currentNode, word.index);
      range.setEnd(words.currentNode, word.index + word[0].length);
      const boxes = range.getClientRects();
      if (boxes.length === 0) continue;
      const line = Math.round(boxes[0].bottom / 4);
      lines.set(line, (lines.get(line) || 0) + word[0].length + 1);
    }
  }
  const longest = Math.max(0, ...lines.values()) - 1;
  if (longest > 80) add(`${longest} letters in a line of "${block.textContent}"`);
  if (width >= 1100 && lines.size > 4 && block.matches('p, li')) add(`${lines.size} lines: "${block.textContent}"`);
}

// Contrast, as the WCAG defines it.
const channels = (text) => {
  const numbers = text.match(/[\d.]+/g).map(Number);
  const scale = text.startsWith('color(') ? 255 : 1;
  return [...numbers.slice(0, 3).map((n) => n * scale), numbers.length > 3 ? numbers[3] : 1];
};
const luminance = (colour) => {
  const linear = colour.slice(0, 3).map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
};
const contrast = (a, b) => {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (light + 0.05) / (dark + 0.05);
};
const paper = (element) => {
  const layers = [];
  for (let e = element; e; e = e.parentElement) {
    const layer = channels(getComputedStyle(e).backgroundColor);
    layers.push(layer);
    if (layer[3] === 1) break;
  }
  return layers.reverse().reduce((below, above) => below.map((c, i) => above[i] * above[3] + c * (1 - above[3])));
};
const worst = new Map();
const need = (element, colour, least) => {
  const ratio = contrast(channels(colour), paper(element));
  const kind = `${element.tagName} ${element.getAttribute('class') || ''}`;
  if (ratio < least && !worst.has(kind)) worst.set(kind, `the contrast of ${kind} is ${ratio.toFixed(2)}`);
};
for (const { parent } of texts) {
  const style = getComputedStyle(parent);
  need(parent, parent.closest('svg') ? style.fill : style.color, 4.5);
}
document.querySelectorAll('.curve, .mark, .bar, .outline').forEach((line) => need(line, getComputedStyle(line).stroke === 'none' ? getComputedStyle(line).fill : getComputedStyle(line).stroke, 3));
worst.forEach(add);

parent.postMessage(`checked ${texts.length} texts at ${width} pixels\n${faults.join('\n')}`, '*');
