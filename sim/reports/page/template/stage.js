// What every view in three dimensions has: light, a floor, and a camera that a person turns; drawn when it is asked for.

import { AmbientLight, DirectionalLight, HemisphereLight, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
import { UP } from './arrows.js';
import { ANGLE, VIEWS, framed } from './camera.js';
import { addFloor } from './floor.js';

/**
 * The stage in an element of the page, about bounds as `addFloor` takes them [m]; null where there is no WebGL.
 *
 * `paint` draws a picture; `aim` turns the camera after each change of size, until a person has turned it.
 */
export function stageOf(host, bounds, { label, paint, aim }) {
  const canvas = document.createElement('canvas');
  const context = canvas.getContext('webgl2', { antialias: true, alpha: true, powerPreference: 'high-performance' });
  if (!context) return null;
  const renderer = new WebGLRenderer({ canvas, context, antialias: true, alpha: true });
  renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
  renderer.toneMapping = NeutralToneMapping;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = PCFShadowMap;
  const { centre, radius } = bounds;
  const camera = new PerspectiveCamera(ANGLE, 1, radius / 100, radius * 40);
  camera.up.copy(UP);
  const controls = new OrbitControls(camera, canvas);
  controls.enableDamping = false;
  const stage = { host, canvas, renderer, camera, controls, radius, centre: new Vector3(...centre), scene: new Scene(), isTurned: false };
  light(stage);
  addFloor(stage, bounds);

  let asked = null;
  stage.draw = () => {
    cancelAnimationFrame(asked);
    asked = null;
    paint();
  };
  /** Draws at the next frame, once however often it is asked. */
  stage.ask = () => { asked ??= requestAnimationFrame(stage.draw); };
  /** Looks from a standard view, so that points fill the free part of a picture; see `framed`. */
  stage.look = (points, name, free, aspect = camera.aspect) => {
    const toward = new Vector3(...VIEWS[name]).normalize();
    const { target, distance } = framed(points, toward, aspect, free);
    controls.target.copy(target);
    camera.position.copy(target).addScaledVector(toward, distance);
    controls.update();
    stage.ask();
  };
  stage.fit = () => {
    const [w, h] = [host.clientWidth, host.clientHeight];
    if (!w || !h) return;
    renderer.setSize(w, h, false);
    camera.aspect = w / h;
    camera.updateProjectionMatrix();
    if (!stage.isTurned) aim();
    stage.ask();
  };
  /** Puts the stage into the page, once all that it shows is on it. */
  stage.open = () => {
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', label);
    host.prepend(canvas);
    controls.addEventListener('start', () => { stage.isTurned = true; });
    controls.addEventListener('change', stage.ask);
    new ResizeObserver(stage.fit).observe(host);
    stage.fit();
  };
  return stage;
}

/** Sun, rim and sky about a ball that holds the robot. */
function light({ scene, radius, centre }) {
  const sun = new DirectionalLight(0xffffff, 2.1);
  sun.position.copy(centre).add(new Vector3(0.9, 0.7, 2.2).multiplyScalar(radius));
  sun.target.position.copy(centre);
  sun.castShadow = true;
  sun.shadow.mapSize.set(1024, 1024);
  Object.assign(sun.shadow.camera, { left: -1.2 * radius, right: 1.2 * radius, top: 1.2 * radius, bottom: -1.2 * radius, near: 0.1 * radius, far: 5 * radius });
  sun.shadow.normalBias = 0.006 * radius;
  const rim = new DirectionalLight(0xffffff, 0.5);
  rim.position.set(-2, -1.5, 1);
  scene.add(sun, sun.target, rim, new HemisphereLight(0xffffff, 0x9aa4b0, 1.5), new AmbientLight(0xffffff, 0.15));
}
