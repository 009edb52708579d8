// What the teach page takes from this bundle, so that three.js is bundled once: parts of it, and of the view.

export { Box3, Color, Euler, Matrix4, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Scene, Vector3, WebGLRenderer } from 'three';
export { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
export { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
export { UP } from './arrows.js';
export { ANGLE, VIEWS, framed } from './camera.js';
export { addFloor } from './floor.js';
