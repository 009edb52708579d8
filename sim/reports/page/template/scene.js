// The robot in three dimensions: what was recorded, ghosts of other runs, and the path.

import {
  AnimationMixer, BufferAttribute, BufferGeometry, Color, GreaterDepth, Line, LineDashedMaterial, LoopOnce, Matrix4, MeshStandardMaterial, Vector3,
} from 'three';
import { Line2 } from 'three/examples/jsm/lines/Line2.js';
import { LineGeometry } from 'three/examples/jsm/lines/LineGeometry.js';
import { LineMaterial } from 'three/examples/jsm/lines/LineMaterial.js';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
import { addApart, placeApart } from './apart.js';
import { addMarks, setArrow, setReaction } from './arrows.js';
import { follow } from './camera.js';
import { addFlags, paintFlags, placeFlags } from './flags.js';
import { addMeasure, clear, placeMeasure, showLink } from './measuring.js';
import { addContacts, placeContact } from './contacts.js';
import { addSprings, endsOf, placeSprings } from './springs.js';
import { stageOf } from './stage.js';

export * as parts from './parts.js';

const BEYOND = 0.35; // how strong a path is drawn where something hides it
const [TOP, SIDE] = [40, 14]; // pixels of the view that boxes take, and that stay free

let page = null; // state, data and helpers of the player, which is a bundle of its own

/** Opens the view; null where there is no WebGL. */
export async function openScene(player) {
  page = player;
  const view = stageOf(page.$('#view'), page.meta.bounds, {
    label: 'The robot at the time shown; drag to turn, scroll to come nearer',
    paint: () => draw(view),
    aim: () => look(view, view.looked),
  });
  if (!view) {
    page.$('#no3d').hidden = false;
    return null;
  }
  Object.assign(view, { runs: [], arrows: [], reactions: [], marks: { frames: [], coms: [] }, looked: 'iso' });
  page.$('#gridnote').textContent = `grid ${view.cell < 1 ? `${Math.round(1000 * view.cell)} mm` : `${view.cell} m`}`;
  await addRuns(view);
  addMarks(view, page);
  view.springs = addSprings(view, page);
  view.contacts = addContacts(view, page);
  addPaths(view);
  view.apart = addApart(view, page);
  view.measure = addMeasure(view, page, { ask: view.ask, done: page.addDistance, worldOf: (link, t) => worldAt(view, link, t) });
  wire(view);
  view.open();
  view.draw();
  const { classList } = view.host.parentElement;
  classList.add('live');
  view.canvas.addEventListener('webglcontextlost', () => classList.remove('live'));
  return {
    look: (name) => look(view, name),
    still: (width, height) => still(view, width, height),
    film: () => film(view),
    measured: () => view.measure.points.map(({ link, local }) => [link, local.toArray()]),
    links: () => [...view.runs[0].links.keys()],
    show: (link, isShown) => { showLink(view.runs[0].links, link, isShown); view.ask(); },
    poseOf: (link, run) => poseOf(view, link, run),
    onScreen: (point) => onScreen(view, point),
    springs: () => { draw(view); return endsOf(view.springs); },
    floor: { height: view.grid.position.z, pedestal: view.pedestal ? page.meta.bounds.pedestal : 0 },
  };
}

function wire(view) {
  page.on('time', view.ask);
  page.on('marks', view.ask);
  page.on('theme', () => { paint(view); view.ask(); });
  page.$$('[data-mark]').forEach((box) => box.addEventListener('change', () => {
    if (box.dataset.mark === 'measure') {
      view.measure.isOn = box.checked;
      view.host.classList.toggle('measuring', box.checked);
      if (!box.checked) clear(view.measure);
    }
    view.ask();
  }));
  page.$$('[data-look]').forEach((button) => button.addEventListener('click', () => look(view, button.dataset.look)));
}

async function addRuns(view) {
  const parse = async (id) => new GLTFLoader().parseAsync((await page.unpacked(id)).buffer, '');
  const own = await parse('scene');
  const bare = own.scene.clone(true);
  view.runs.push(playback(own.scene, own.animations, null));
  own.scene.traverse((node) => { if (node.isMesh) node.castShadow = node.receiveShadow = true; });
  view.scene.add(own.scene);
  for (const [k, overlay] of page.meta.overlays.entries()) {
    if (!overlay.ghost) continue;
    const ghost = bare.clone(true);
    const look3d = new MeshStandardMaterial({ transparent: true, opacity: 0.34, depthWrite: false, roughness: 0.9, polygonOffset: true, polygonOffsetFactor: 2, polygonOffsetUnits: 8 });
    ghost.traverse((node) => { if (node.isMesh) node.material = look3d; });
    const { animations } = await parse(`clip${k}`);
    view.runs.push({ ...playback(ghost, animations, k), look3d });
    view.scene.add(ghost);
  }
}

function playback(root, animations, overlay) {
  const mixer = new AnimationMixer(root);
  const action = animations.length ? mixer.clipAction(animations[0]) : null;
  if (action) {
    action.setLoop(LoopOnce, 1);
    action.clampWhenFinished = true;
    action.play();
  }
  const links = new Map();
  root.traverse((node) => { if (node.userData.link !== undefined) links.set(node.userData.link, node); });
  return { root, mixer, action, overlay, links };
}

/** Paths, each a second time, dimmed, where something is before it. */
function addPaths(view) {
  const { scene, radius } = view;
  const { tool, target } = page.paths;
  view.way = [];
  view.done = [];
  view.aim = [];
  if (tool) {
    const shape = () => new LineGeometry().setPositions(tool.points);
    const fat = (geometry, opacity, more) => {
      const line = new Line2(geometry, new LineMaterial({ linewidth: 2.5, transparent: true, depthWrite: false, opacity, ...more }));
      line.renderOrder = 1;
      scene.add(line);
      return line;
    };
    for (const [lines, opacity] of [[view.way, 0.28], [view.done, 1]]) {
      const geometry = shape();
      lines.push(fat(geometry, opacity), fat(geometry, BEYOND * opacity, { depthFunc: GreaterDepth }));
    }
    view.flags = addFlags(scene, radius);
  }
  view.others = page.meta.overlays.flatMap((_, run) => {
    const path = page.paths[`over${run}`];
    if (!path) return [];
    const geometry = new LineGeometry().setPositions(path.points);
    return [{}, { depthFunc: GreaterDepth, opacity: BEYOND }].map((more) => {
      const line = new Line2(geometry, new LineMaterial({ linewidth: 2, transparent: true, depthWrite: false, ...more }));
      line.renderOrder = 1;
      scene.add(line);
      return { run, line };
    });
  });
  if (target) {
    const shape = new BufferGeometry().setAttribute('position', new BufferAttribute(target.points, 3));
    const dashes = { dashSize: 0.02 * radius, gapSize: 0.014 * radius, depthWrite: false };
    for (const more of [{}, { depthFunc: GreaterDepth, transparent: true, opacity: BEYOND }]) {
      const line = new Line(shape, new LineDashedMaterial({ ...dashes, ...more }));
      line.computeLineDistances();
      view.aim.push(line);
      scene.add(line);
    }
  }
  paint(view);
}

/** Where the tool's path is at a time, put into `place`. */
function onPath(t, place) {
  const { points, every, count } = page.paths.tool;
  const at = page.clamp(page.sampleAt(t) / every, 0, count - 1);
  const k = Math.min(Math.floor(at), count - 2);
  const end = new Vector3().fromArray(points, 3 * (k + 1));
  return place.fromArray(points, 3 * k).lerp(end, at - k);
}

const overlayInk = (run) => `over${(run % 3) + 1}`;

function paint(view) {
  const set = (material, name) => material?.color.copy(new Color(page.colour(name)));
  for (const { material } of [...view.way, ...view.done]) set(material, 'recorded');
  for (const { material } of view.aim) set(material, 'analytic');
  for (const { run, line } of view.others) set(line.material, overlayInk(run));
  set(view.pedestal?.material, 'pedestal');
  for (const { group } of view.springs) for (const { material } of group.children) set(material, 'part');
  if (view.flags) paintFlags(view.flags, page.colour('now'), page.colour('ground-page'));
  set(view.comLook, 'com');
  set(view.torqueLook, 'torque');
  set(view.grid.material, 'ground');
  view.grid.material.vertexColors = false;
  view.grid.material.opacity = 0.5;
  view.grid.material.needsUpdate = true;
  for (const run of view.runs) if (run.look3d) set(run.look3d, overlayInk(run.overlay));
}

/** Pixels at the edges of the view that something covers, or that are below the window's edge. */
function roomOf({ host }) {
  const foot = page.$('.foot', host.parentElement).getBoundingClientRect().top;
  const hidden = host.getBoundingClientRect().bottom - foot;
  const boxes = page.$('.hud', host).offsetHeight; // two rows on a phone
  return { top: Math.max(TOP, boxes + 4), side: SIDE, foot: page.clamp(hidden + 6, 6, 0.6 * host.clientHeight) };
}

/** One of the standard views, the whole motion in sight and the picture full of it, until a person turns it. */
function look(view, name, width = view.host.clientWidth, height = view.host.clientHeight, room = roomOf(view)) {
  const [w, h] = [Math.max(1, width), Math.max(1, height)];
  view.look(page.meta.bounds.reached, name, [2 * room.side / w - 1, 1 - 2 * room.side / w, 2 * room.foot / h - 1, 1 - 2 * room.top / h], w / h);
  view.looked = name;
  view.isTurned = false;
}

const ticked = (name) => page.$(`[data-mark=${name}]`)?.checked ?? false;

function draw(view) {
  pose(view);
  if (view.springs.length) view.scene.updateMatrixWorld(true);
  placeSprings(view.springs);
  const shown = { frames: ticked('frames'), coms: ticked('coms') };
  for (const [name, marks] of Object.entries(view.marks)) for (const mark of marks) mark.visible = shown[name];
  const torques = ticked('torques');
  for (const one of view.arrows) {
    if (torques) setArrow(view, page, one);
    else one.group.visible = false;
  }
  const contacts = ticked('contacts');
  for (const one of view.contacts) placeContact(view, page, one, contacts);
  const reactions = ticked('reactions');
  for (const one of view.reactions) {
    if (reactions) setReaction(view, page, one);
    else one.group.visible = false;
  }
  for (const run of view.runs) if (run.overlay !== null) run.root.visible = ticked('ghost') && page.state.show.over[run.overlay];
  const path = ticked('path');
  for (const line of [...view.way, ...view.done, ...view.aim]) line.visible = path;
  for (const { run, line } of view.others) line.visible = path && page.state.show.over[run];
  if (view.flags) {
    const passed = Math.ceil(page.sampleAt(page.state.t) / page.paths.tool.every);
    for (const line of view.done) {
      line.geometry.instanceCount = page.clamp(passed, 0, page.paths.tool.count - 1);
      line.visible = path && passed > 0;
    }
    placeFlags(view, page.state.marks, onPath, path);
  }
  if (view.measure.points.length) {
    view.scene.updateMatrixWorld(true);
    const distance = placeMeasure(view.measure);
    if (distance !== null) page.showDistance(distance);
  }
  if (view.apart) placeApart(view.apart, page, ticked('apart'));
  const tool = view.runs[0].links.get(page.meta.tool);
  view.controls.enablePan = !(tool && ticked('follow'));
  if (!view.controls.enablePan) {
    view.scene.updateMatrixWorld(true);
    follow(view, tool.getWorldPosition(new Vector3()));
  }
  view.renderer.render(view.scene, view.camera);
}

function pose(view) {
  for (const { action, mixer } of view.runs) {
    if (!action) continue;
    action.paused = false;
    action.enabled = true;
    action.time = page.clamp(page.state.t - page.meta.t.first, 0, action.getClip().duration);
    mixer.update(0);
  }
}

/** World pose of a link as 16 numbers by columns; `run` 0 is the recorded one. */
function poseOf(view, link, run = 0) {
  pose(view);
  view.scene.updateMatrixWorld(true);
  return new Matrix4().copy(view.runs[run].links.get(link).matrixWorld).elements.slice();
}

/** World pose of a link of the recorded run at any time. */
function worldAt(view, link, t) {
  const { action, mixer, links } = view.runs[0];
  if (action) {
    action.time = page.clamp(t - page.meta.t.first, 0, action.getClip().duration);
    mixer.update(0);
  }
  const node = links.get(link);
  node.updateWorldMatrix(true, false);
  return node.matrixWorld.clone();
}

/** Where a point of the world is in the picture, from -1 to 1 to the right and up. */
function onScreen(view, point) {
  draw(view);
  view.camera.updateMatrixWorld();
  return new Vector3(...point).project(view.camera).toArray().slice(0, 2);
}

/** A canvas that shows the view on the page's background when it is drawn. */
function film(view) {
  const { width, height } = view.canvas;
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const ctx = canvas.getContext('2d');
  const paintOver = () => {
    draw(view);
    ctx.fillStyle = page.colour('panel');
    ctx.fillRect(0, 0, width, height);
    ctx.drawImage(view.canvas, 0, 0);
  };
  return { canvas, draw: paintOver };
}

/** The view as a picture, for paper: a canvas does not print. */
function still(view, width, height) {
  const { renderer, camera } = view;
  renderer.setSize(width, height, false);
  camera.aspect = width / height;
  camera.updateProjectionMatrix();
  if (!view.isTurned) look(view, view.looked, width, height, { top: 10, foot: 10, side: 10 });
  draw(view);
  const picture = view.canvas.toDataURL('image/png');
  view.fit();
  return picture;
}
