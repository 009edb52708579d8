// How many texts a page shows, and those that stand out too little from their ground:
// Web Content Accessibility Guidelines 2.2, success criterion 1.4.3.
() => {
  const parse = (c) => { const v = c.match(/[\d.]+/g).map(Number); return [...v.slice(0, 3), v[3] ?? 1]; };
  const light = ([r, g, b]) => {
    const f = (x) => { x /= 255; return x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4; };
    return 0.2126 * f(r) + 0.7152 * f(g) + 0.0722 * f(b);
  };
  const over = (top, under) => top.slice(0, 3).map((x, k) => top[3] * x + (1 - top[3]) * under[k]).concat(1);
  const ground = (node) => {
    const layers = [];
    for (let n = node; n; n = n.parentElement) layers.push(parse(getComputedStyle(n).backgroundColor));
    return layers.reverse().reduce((under, top) => over(top, under), [255, 255, 255, 1]);
  };
  const poor = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let count = 0;
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.checkVisibility() || node.closest('script, noscript, :disabled, svg')) continue;
    const style = getComputedStyle(node);
    const size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const under = ground(node);
    const [a, b] = [light(over(parse(style.color), under)), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    count += 1;
    if (ratio < (large ? 3 : 4.5)) poor.push([node.textContent.slice(0, 40), style.color, String(under), ratio]);
  }
  return [count, poor];
}
