// Two points of the view: their distance at the time shown and over the run; and links that are hidden.

import { BufferAttribute, BufferGeometry, Line, LineBasicMaterial, Mesh, MeshBasicMaterial, Raycaster, SphereGeometry, Vector2 } from 'three';

const POINTS = 401; // instants of the curve
const seen = { depthTest: false, transparent: true, toneMapped: false };

/** Adds what measures: `done` is called with the curve { name, x, values } of two points. */
export function addMeasure(view, page, { ask, done, worldOf }) {
  const look = new MeshBasicMaterial({ ...seen, color: page.colour('now') });
  const line = new Line(new BufferGeometry(), new LineBasicMaterial({ ...seen, color: page.colour('now') }));
  line.visible = false;
  line.renderOrder = 5;
  line.frustumCulled = false;
  view.scene.add(line);
  const measure = { points: [], line, look, isOn: false };
  let pressed = null;
  view.canvas.addEventListener('pointerdown', (event) => { pressed = [event.clientX, event.clientY]; });
  view.canvas.addEventListener('pointerup', (event) => {
    if (!measure.isOn || !pressed || Math.hypot(event.clientX - pressed[0], event.clientY - pressed[1]) > 4) return;
    const hit = hitAt(view, event);
    if (!hit) return;
    if (measure.points.length === 2) clear(measure);
    measure.points.push(mark(view, measure, hit));
    if (measure.points.length === 2) done(curveOf(page, measure.points, worldOf));
    ask();
  });
  return measure;
}

/** The point of the robot under the pointer, and the link that it belongs to. */
function hitAt(view, event) {
  const box = view.canvas.getBoundingClientRect();
  const at = new Vector2(((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2);
  const ray = new Raycaster();
  ray.setFromCamera(at, view.camera);
  const meshes = [];
  view.runs[0].root.traverseVisible((node) => { if (node.isMesh && node.material !== view.comLook && node.material !== view.torqueLook) meshes.push(node); });
  const [hit] = ray.intersectObjects(meshes, false);
  if (!hit) return null;
  let node = hit.object;
  while (node && node.userData.link === undefined) node = node.parent;
  return node ? { link: node.userData.link, node, local: node.worldToLocal(hit.point.clone()) } : null;
}

function mark(view, { look }, { link, node, local }) {
  const ball = new Mesh(new SphereGeometry(0.012 * view.radius, 16, 12), look);
  ball.position.copy(local);
  ball.renderOrder = 6;
  node.add(ball);
  return { link, node, local, ball };
}

/** Forgets the two points. */
export function clear(measure) {
  for (const { ball } of measure.points) ball.removeFromParent();
  measure.points = [];
  measure.line.visible = false;
}

/** Draws the line between the points where they are now; their distance [m], or null. */
export function placeMeasure(measure) {
  if (measure.points.length < 2) return null;
  const [a, b] = measure.points.map(({ node, local }) => node.localToWorld(local.clone()));
  measure.line.geometry.setAttribute('position', new BufferAttribute(new Float32Array([...a.toArray(), ...b.toArray()]), 3));
  measure.line.visible = true;
  return a.distanceTo(b);
}

/** Distance of two points over the run; `worldOf` gives the world pose of a link at a time. */
function curveOf(page, points, worldOf) {
  const { first, last } = page.meta.t;
  const x = Array.from({ length: POINTS }, (_, k) => first + ((last - first) * k) / (POINTS - 1));
  const values = x.map((t) => {
    const [a, b] = points.map(({ link, local }) => local.clone().applyMatrix4(worldOf(link, t)));
    return a.distanceTo(b);
  });
  return { name: `distance ${points[0].link} to ${points[1].link}`, x, values };
}

/** Shows or hides the shapes of one link, not of those that it carries. */
export function showLink(links, name, isShown) {
  for (const child of links.get(name).children) {
    if (child.userData.link === undefined && !child.isLine) child.traverse((node) => { if (node.isMesh) node.visible = isShown; });
  }
}

