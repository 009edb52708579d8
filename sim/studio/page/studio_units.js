// Units in which numbers are shown and typed; the setup is in SI and radians.

const DEG = 180 / Math.PI;
export const SYSTEMS = {
  '°, mm, N·m': { angle: [DEG, '°'], length: [1000, 'mm'], torque: [1, 'N·m'], force: [1, 'N'] },
  '°, mm, N·mm': { angle: [DEG, '°'], length: [1000, 'mm'], torque: [1000, 'N·mm'], force: [1, 'N'] },
  'rad, m, N·m': { angle: [1, 'rad'], length: [1, 'm'], torque: [1, 'N·m'], force: [1, 'N'] },
};
let system = Object.values(SYSTEMS)[0];

export const choose = (name) => { system = SYSTEMS[name]; };

/** Factor and unit of positions, or of efforts, of a joint. */
export const position = ({ sliding }) => system[sliding ? 'length' : 'angle'];
export const effort = ({ sliding }) => system[sliding ? 'force' : 'torque'];
export const length = () => system.length;
export const shown = () => system;

/** A number as it is typed: twelve digits, so that a round one stays round. */
export const typed = (value) => +value.toPrecision(12);

/** A number for a reader, of four digits. */
export function brief(value) {
  if (value === null || value === undefined) return '';
  if (value === 0) return '0';
  const size = Math.abs(value);
  return size >= 1e5 || size < 1e-3 ? value.toExponential(2) : `${+value.toPrecision(4)}`;
}

/** The range of a joint, empty where it has no limits. */
export function range(row) {
  const [scale, unit] = position(row);
  const [low, high] = row.ends.map((one) => (one === null ? null : one * scale));
  if (low === null || high === null) return '';
  return low === -high ? `±${brief(high)} ${unit}` : `${brief(low)} … ${brief(high)} ${unit}`;
}
