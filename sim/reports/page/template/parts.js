// What the teach page and the studio take from this bundle, so that three.js is bundled once: parts of it, and of the view.

export { Box3, BufferGeometry, Color, Euler, Line, LineBasicMaterial, Matrix4, Mesh, MeshStandardMaterial, NeutralToneMapping, PCFShadowMap, PerspectiveCamera, Raycaster, Scene, SphereGeometry, Vector2, Vector3, WebGLRenderer } from 'three';
export { OrbitControls } from 'three/examples/jsm/controls/OrbitControls.js';
export { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';
export { UP } from './arrows.js';
export { ANGLE, VIEWS, framed } from './camera.js';
export { addFloor } from './floor.js';
