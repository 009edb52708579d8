// The robot in three dimensions: it moves with the preview, shows the payload, and tells of a link under the pointer.

import * as units from './studio_units.js';
import { $, made } from './studio_server.js';

const { armOf, loopsOf, playerOf } = globalThis.Teaching;
const LAST = 400; // index of the last sample of a preview
const STILL = 500; // ms after the last change until shadows are drawn
const BALL = 0.035; // radius of the payload's mark over that of the robot

let arm = null;
let view = null;
let facts = null;
let ball = null;
let tip = null;
let trail = null;
let marks = []; // of springs and contacts
let shaped = null; // what the camera frames
let preview = null;
let isPosed = false; // by a person, not by the preview
let fast = false;
let still = null;
export const frames = { count: 0 };
export const player = playerOf({ bar: $('#bar'), play: $('#play'), scrub: $('#scrub'), clock: $('#time') }, quick);

/** Shows a robot in the place of the former one. */
export async function show(given, scene) {
  player.load(null);
  const { parts } = globalThis.RobotView;
  const loaded = await new parts.GLTFLoader().parseAsync(scene, '');
  facts = given;
  facts.notes = loaded.scene.userData.notes ?? [];
  preview = shaped = trail = null;
  marks = [];
  view?.renderer.dispose();
  $('#scene').replaceChildren();
  arm = armOf(loaded.scene, typeof facts.teach === 'string' ? facts : facts.teach, parts, (loops = [], nodes = null) => loopsOf(loops, nodes));
  const placeJoints = arm.place;
  arm.place = (q) => { placeJoints(q); for (const { place: put } of marks) put(); };
  view = parts.viewOf(loaded.scene, $('#scene'));
  fast = false;
  tip = made('p', { class: 'tip' });
  $('#scene').append(tip);
  if (!view) { tip.textContent = 'No 3-D view: this browser has no WebGL. Everything else works.'; return; }
  view.root = loaded.scene;
  ball = new parts.Mesh(new parts.SphereGeometry(BALL * view.radius, 24, 16), new parts.MeshStandardMaterial({ color: 0xb5277c, depthTest: false, transparent: true, opacity: 0.85 }));
  ball.visible = false;
  arm.tool?.add(ball);
  view.canvas.addEventListener('pointermove', pointed);
  view.canvas.addEventListener('pointerleave', () => { tip.textContent = ''; });
}

/** The arm and its view, for the panel of the pane Teach. */
export const stage = () => ({ arm, view, player, parts: globalThis.RobotView.parts });

/** Shows no robot. */
export function clear() {
  player.load(null);
  view?.renderer.dispose();
  arm = view = facts = preview = ball = trail = null;
  $('#scene').replaceChildren();
}

/** Shows where the payload's mass centre is. */
export function payload(mass, com) {
  if (!ball || (ball.visible === mass > 0 && com.every((x, k) => x === ball.position.getComponent(k)))) return;
  ball.visible = mass > 0;
  ball.position.set(...com);
  view.ask();
}

/** Moves the arm to joint positions, such as those of sliders. */
export function place(q) {
  if (!arm) return;
  arm.place(q);
  view?.ask();
}

/** Pose of the tool where the arm stands, 3 x 4 by rows; null without a tool frame. */
export const toolPose = () => (arm?.tool ? arm.pose() : null);

/** Waits for a click on a link: its name, and the point in its axes [m]; null where Esc ends it. */
export function picked() {
  return new Promise((done) => {
    if (!view) { done(null); return; }
    let down = null;
    const end = (result) => {
      view?.canvas.removeEventListener('pointerdown', began);
      view?.canvas.removeEventListener('pointerup', clicked);
      removeEventListener('keydown', ended);
      $('#scene').classList.remove('picking');
      done(result);
    };
    const began = ({ clientX, clientY }) => { down = [clientX, clientY]; };
    const clicked = (event) => {
      if (!down || Math.hypot(event.clientX - down[0], event.clientY - down[1]) > 4) return; // it was turned
      const hit = struck(event);
      if (!hit) return;
      const node = linkOf(hit.object);
      if (node) end({ link: node.userData.link, at: node.worldToLocal(hit.point.clone()).toArray() });
    };
    const ended = (event) => { if (event.key === 'Escape') { event.preventDefault(); setTimeout(end, 0, null); } };
    view.canvas.addEventListener('pointerdown', began);
    view.canvas.addEventListener('pointerup', clicked);
    addEventListener('keydown', ended);
    $('#scene').classList.add('picking');
  });
}

/** Springs as lines, and spheres that touch the floor, of the setup. */
export function forces({ springs, floor }) {
  if (!view || !arm) return;
  const { parts } = globalThis.RobotView;
  for (const { node } of marks) { node.removeFromParent(); node.geometry.dispose(); }
  const nodes = new Map();
  view.root.traverse((node) => { if (node.userData.link) nodes.set(node.userData.link, node); });
  const colour = { color: 0xb5277c };
  marks = springs.filter(({ i, j }) => [i, j].every(([link]) => link === 'world' || nodes.has(link))).map(({ i, j }) => {
    const node = new parts.Line(new parts.BufferGeometry(), new parts.LineBasicMaterial(colour));
    view.scene.add(node);
    const ends = [i, j].map(([link, at]) => () => { const p = new parts.Vector3(...at); return nodes.has(link) ? nodes.get(link).localToWorld(p) : p; });
    return { node, place: () => node.geometry.setFromPoints(ends.map((end) => end())) };
  });
  for (const [link, at, radius] of floor?.spheres ?? []) if (nodes.has(link)) {
    const node = new parts.Mesh(new parts.SphereGeometry(radius, 20, 12), new parts.MeshStandardMaterial({ ...colour, transparent: true, opacity: 0.6 }));
    node.position.set(...at);
    nodes.get(link).add(node);
    marks.push({ node, place: () => {} });
  }
  for (const { place: put } of marks) put();
  view.ask();
}

/** Draws the way of the tool along the preview, or none. */
function trace(on) {
  const { parts } = globalThis.RobotView;
  if (trail) { view.scene.remove(trail); trail.geometry.dispose(); trail = null; }
  if (!on || !view || !arm.tool) return;
  const points = preview.t.map((_, k) => { arm.place(preview.q.map((row) => row[k] ?? 0)); return new parts.Vector3(...arm.pose().map((row) => row[3])); });
  trail = new parts.Line(new parts.BufferGeometry().setFromPoints(points), new parts.LineBasicMaterial({ color: 0xb5277c }));
  view.scene.add(trail);
}

/** Takes a preview: the bar below the view moves the arm along it. */
export function take(answer, led = false) {
  preview = answer.q ? answer : preview;
  if (!preview || !arm) return;
  if (view && answer.q) trace(led);
  if (isPosed) return;
  if (!player.playing) brisk();
  frame();
  load();
}

/** The bar moves the arm along the preview, or along what is taught. */
export function pose(byPerson) {
  isPosed = byPerson;
  if (!isPosed) load();
}

function load() {
  if (!preview || !arm) { player.load(null); return; }
  const wasPlaying = player.playing;
  const of = preview;
  const duration = of.t.at(-1);
  const at = (t) => { const k = Math.round(t / duration * LAST); return of.q.map((row) => row[k] ?? 0); };
  player.load({ duration, at }, (q) => { place(q); frames.count += 1; });
  $('#scrub').step = duration / LAST;
  player.seek(player.t);
  if (wasPlaying) player.run();
}

/** Draws quickly while previews follow each other, and fully once they stop. */
function brisk() {
  quick(true);
  clearTimeout(still);
  still = setTimeout(() => { if (!player.playing) quick(false); }, STILL);
}

/** Moves the arm to a sample of the preview. */
export function at(k) {
  if (!preview || !arm || isPosed) return;
  player.stop();
  player.seek(preview.t[Math.min(LAST, Math.max(0, k))]);
}

/** Goes on by so many samples, and stays there. */
export const nudge = (samples) => { if (preview) at(Math.round(player.t / preview.t.at(-1) * LAST) + samples); };

/** Draws at half the size and without shadows while the arm moves: software rendering keeps up then. */
function quick(on) {
  if (!view || on === fast) return;
  fast = on;
  view.renderer.setPixelRatio(on ? 0.5 : Math.min(devicePixelRatio, 2));
  view.scene.traverse((node) => { if (node.isLight && node.shadow) node.castShadow = !on; });
  view.ask();
}

/** The camera frames all that the links sweep, until a person turns it. */
function frame() {
  if (!view || !preview || view.isTurned) return;
  const { Box3 } = globalThis.RobotView.parts;
  const box = new Box3();
  for (let k = 0; k <= LAST; k += 40) {
    arm.place(preview.q.map((row) => row[k] ?? 0));
    box.expandByObject(view.root);
  }
  const shape = [...box.min.toArray(), ...box.max.toArray()].map((x) => x.toFixed(1)).join();
  if (shape === shaped) return;
  shaped = shape;
  view.frame(box);
}

/** What the pointer is on. */
function struck(event) {
  const { Raycaster, Vector2 } = globalThis.RobotView.parts;
  const { left, top, width, height } = view.canvas.getBoundingClientRect();
  const ray = new Raycaster();
  ray.setFromCamera(new Vector2(2 * (event.clientX - left) / width - 1, 1 - 2 * (event.clientY - top) / height), view.camera);
  return ray.intersectObject(view.root, true)[0];
}

function linkOf(object) {
  let node = object ?? null;
  while (node && !node.userData.link) node = node.parent;
  return node;
}

/** Mass, mass centre and joint of the link under the pointer. */
function pointed(event) {
  if (event.buttons || player.playing) return;
  const node = linkOf(struck(event)?.object);
  tip.textContent = node ? about(node.userData) : '';
}

function about({ link, mass, com, joint, kind, axis }) {
  const [scale, unit] = units.length();
  const lines = [`link ${link}: ${mass ? `${units.brief(mass)} kg, mass centre ${com.map((x) => units.brief(x * scale)).join(' ')} ${unit}` : 'no mass'}`];
  if (joint) lines.push(`joint ${joint}: ${kind}${axis ? `, axis ${axis.map(units.brief).join(' ')}` : ''}`);
  return lines.join('\n');
}
