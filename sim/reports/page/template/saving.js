// What a reader takes along: a plot as table or picture, a link to an instant.

import { zipSync } from 'fflate';
import { addressOf } from './address.js';
import { captionOf, still } from './chart.js';
import { contentOf, drawing, isOwn } from './planes.js';
import { drawPlane } from './plane.js';
import { shown } from './against.js';
import { legendOf } from './drawing.js';
import { meta, shownUnit } from './data.js';
import { notice } from './menu.js';
import { resampled, union } from './statistics.js';
import { colour, element } from './store.js';

/** Rows as CSV: numbers as they are, titles quoted where they must be. */
export function csv(titles, columns) {
  const quoted = (title) => (/[",\n\r]/.test(title) ? `"${title.replaceAll('"', '""')}"` : title);
  const written = (v) => (Number.isFinite(v) ? String(v) : 'nan');
  const lines = [titles.map(quoted).join(',')];
  for (let k = 0; k < columns[0].length; k++) lines.push(columns.map((column) => written(column[k])).join(','));
  return `${lines.join('\n')}\n`;
}

/** A value to the decimal place of the step in which it is kept: the page has no digits below. */
export function toStep(value, step) {
  if (!Number.isFinite(value) || !(step > 0)) return value;
  const place = Math.floor(Math.log10(step));
  return place > 0 ? Number(`${Math.round(value / 10 ** place)}e${place}`) : Number(value.toFixed(Math.min(-place, 100)));
}

/** Titles and columns of a card: time, and of each channel what is recorded, the model's and other runs'. */
export function tableOf(one) {
  const parts = one.parts ?? [one.curve];
  const times = union(parts.map(({ x }) => x));
  const titles = ['t [s]'];
  const columns = [times];
  for (const part of parts) {
    const [unit, factor] = shownUnit(part);
    const inUnit = unit ? ` [${unit.replace('°', 'deg')}]` : '';
    const add = (name, values, step) => {
      titles.push(`${part.id} ${name}${inUnit}`);
      columns.push(resampled(part.x, values, times).map((v) => toStep(v * factor, step * factor)));
    };
    const [own, errors, ...others] = part.steps;
    const less = (sign, values) => part.recorded.map((v, k) => v + sign * values[k]);
    add('recorded', part.recorded, own);
    if (!part.derived) {
      add('analytic', Array.from(part.recorded, (v, k) => v - part.error[k]), Math.max(own, errors));
      add('recorded - analytic', part.error, errors);
    }
    Object.keys(part.over).forEach((run, k) => add(meta.overlays[run].label, less(1, part.over[run]), Math.max(own, others[k])));
  }
  return [titles, columns];
}

function tableOfPlane(plane) {
  const { lines, across, up, steps } = contentOf(plane);
  if (plane.spectrum) return [[across, ...lines.map(({ label }) => `${label} ${up}`)], [lines[0].x, ...lines.map(({ y }) => y)]];
  const drawn = lines.filter(isOwn);
  const stepped = (k) => (v) => toStep(v, steps[k]);
  const inWords = (name) => name.replace('°', 'deg');
  const titles = ['t [s]', inWords(across), ...drawn.map(({ label }) => inWords(`${label} ${up}`))];
  const columns = [drawn[0].t, drawn[0].x.map(stepped(0)), ...drawn.map(({ y }, k) => y.map(stepped(k + 1)))];
  return [titles, columns];
}

const isPlane = (one) => Boolean(one.canvas);

function nameOf(one) {
  const channel = isPlane(one) ? one.title : one.parts ? one.curve.label : one.curve.id;
  return `${meta.name}.${channel}`.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 120);
}

export function save(blob, name) {
  const link = element('a', { download: name, href: URL.createObjectURL(blob) });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  notice(`saved ${name}`);
}

export function saveTable(one) {
  const text = csv(...(isPlane(one) ? tableOfPlane(one) : tableOf(one)));
  save(new Blob([text], { type: 'text/csv;charset=utf-8' }), `${nameOf(one)}.csv`);
}

const WIDE = 1200;
const HIGH = 600;
const FONT = 16;
const HEAD = 84;

/** A picture of a plot with its name, its axes' names and what stands for what. */
export async function pictureOf(one) {
  const ratio = devicePixelRatio || 1;
  const canvas = element('canvas', { width: Math.round(WIDE * ratio), height: Math.round((HIGH + HEAD) * ratio) });
  const ctx = canvas.getContext('2d');
  ctx.fillStyle = colour('ground-page');
  ctx.fillRect(0, 0, canvas.width, canvas.height);
  ctx.scale(ratio, ratio);
  if (isPlane(one)) {
    const { lines } = contentOf(one);
    const styled = drawing(one);
    head(ctx, one.title, one.unit.textContent || contentOf(one).unit, styled.lines.map((line, k) => ({ ...line, label: line.label ?? lines[k].label })));
    ctx.translate(0, HEAD);
    drawPlane(ctx, styled, WIDE, HIGH - 8, FONT);
  } else {
    head(ctx, titleOf(one), captionOf(one), legendOf(one));
    const host = element('div', { class: 'offstage' });
    document.body.append(host);
    const chart = still(one, { width: WIDE, height: HIGH - 8, font: FONT }, host);
    await new Promise((done) => setTimeout(done)); // uPlot paints in a microtask
    ctx.drawImage(chart.ctx.canvas, 0, HEAD, WIDE, HIGH - 8);
    chart.destroy();
    host.remove();
  }
  return canvas;
}

function titleOf(one) {
  const { curve, parts } = one;
  const what = { error: ', error', compared: ', difference', reference: ', difference' };
  const named = parts || !curve.group ? curve.label : `${meta.groups[curve.group]}  ${curve.label}`;
  return named + (what[shown(one)] ?? '');
}

function head(ctx, title, unit, entries) {
  ctx.fillStyle = colour('ink');
  ctx.textBaseline = 'alphabetic';
  ctx.font = '600 20px system-ui, sans-serif';
  ctx.fillText(title, 16, 32);
  let x = 16 + ctx.measureText(title).width + 10;
  ctx.font = '17px system-ui, sans-serif';
  ctx.fillStyle = colour('ink2');
  ctx.fillText(unit, x, 32);
  ctx.textAlign = 'right';
  ctx.fillText(meta.name, WIDE - 14, 32);
  ctx.textAlign = 'left';
  x = 16;
  for (const { label, stroke, dash } of entries) {
    ctx.strokeStyle = stroke;
    ctx.lineWidth = 3;
    ctx.setLineDash(dash);
    ctx.beginPath();
    ctx.moveTo(x, 58);
    ctx.lineTo(x + 34, 58);
    ctx.stroke();
    ctx.setLineDash([]);
    ctx.fillText(label, x + 42, 64);
    x += 42 + ctx.measureText(label).width + 24;
  }
}

export async function savePicture(one) {
  const canvas = await pictureOf(one);
  const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
  save(blob, `${nameOf(one)}.png`);
}

/** All plots of the page in a ZIP: tables, or pictures. */
export async function saveAll(plots, kind) {
  const files = {};
  for (const [k, one] of plots.entries()) {
    notice(`plot ${k + 1} of ${plots.length}`);
    const name = `${nameOf(one)}.${kind}`;
    if (kind === 'csv') files[name] = new TextEncoder().encode(csv(...(isPlane(one) ? tableOfPlane(one) : tableOf(one))));
    else {
      const canvas = await pictureOf(one);
      const blob = await new Promise((done) => canvas.toBlob(done, 'image/png'));
      files[name] = [new Uint8Array(await blob.arrayBuffer()), { level: 0 }]; // a PNG is packed
    }
  }
  save(new Blob([zipSync(files)], { type: 'application/zip' }), `${meta.name}_plots_${kind}.zip`);
}

/** Puts the address of this instant into the clipboard, with a channel's plot where that is named. */
export async function copyLink(focus) {
  const link = `${location.href.split('#')[0]}#${addressOf(focus)}`;
  if (await copied(link)) notice('link copied');
  else prompt('The link to this instant:', link);
}

async function copied(words) {
  try {
    await navigator.clipboard.writeText(words);
    return true;
  } catch { // no clipboard here, or not allowed
    const area = element('textarea', { class: 'offstage', 'aria-hidden': 'true' });
    area.value = words;
    document.body.append(area);
    const had = document.activeElement;
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    had?.focus?.({ preventScroll: true });
    return done;
  }
}
