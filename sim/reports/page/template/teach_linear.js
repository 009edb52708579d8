// Linear algebra of small matrices, by columns or by rows as said.

const RANK = 1e-9; // of the largest singular value; what is smaller belongs to a repeated equation
const SWEEPS = 30;

export const range = (count) => Array.from({ length: count }, (_, k) => k);
export const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);
export const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
export const minus = (a, b) => a.map((x, k) => x - b[k]);
/** A v, of a matrix by rows. */
export const times = (A, v) => A.map((row) => dot(row, v));
export const transposed = (A) => A[0].map((_, k) => A.map((row) => row[k]));

/** x of A x = b, by elimination with pivots; A by rows. */
export function solved(A, b) {
  const n = b.length;
  const M = A.map((row, k) => [...row, b[k]]);
  for (let k = 0; k < n; k++) {
    const best = range(n).slice(k).reduce((most, r) => (Math.abs(M[r][k]) > Math.abs(M[most][k]) ? r : most), k);
    [M[k], M[best]] = [M[best], M[k]];
    for (let r = k + 1; r < n; r++) {
      const share = M[r][k] / M[k][k];
      for (let c = k; c <= n; c++) M[r][c] -= share * M[k][c];
    }
  }
  const x = new Array(n).fill(0);
  for (let k = n - 1; k >= 0; k--) x[k] = (M[k][n] - dot(M[k].slice(k + 1, n), x.slice(k + 1))) / M[k][k];
  return x;
}

/** Columns turned by Jacobi's rotations until they are square to each other, and the same turns of the unit matrix. */
function squared(columns) {
  const A = [...columns];
  const V = A.map((_, k) => A.map((_, r) => (r === k ? 1 : 0)));
  for (let sweep = 0, turned = true; turned && sweep < SWEEPS; sweep++) {
    turned = false;
    for (let p = 0; p < A.length; p++) for (let q = p + 1; q < A.length; q++) {
      const [pp, qq, pq] = [dot(A[p], A[p]), dot(A[q], A[q]), dot(A[p], A[q])];
      if (Math.abs(pq) <= 1e-16 * Math.sqrt(pp * qq) || !pq) continue;
      turned = true;
      const way = (qq - pp) / (2 * pq);
      const t = (way < 0 ? -1 : 1) / (Math.abs(way) + Math.hypot(way, 1));
      const c = 1 / Math.hypot(t, 1);
      for (const M of [A, V]) {
        const [a, b] = [M[p], M[q]];
        M[p] = a.map((x, k) => c * (x - t * b[k]));
        M[q] = b.map((x, k) => c * (x + t * a[k]));
      }
    }
  }
  return { A, V };
}

/** Singular values of a matrix by columns, in any order. */
export function singularValues(columns) {
  const { A } = squared(columns.length > columns[0].length ? transposed(columns) : columns);
  return A.map((column) => Math.sqrt(dot(column, column)));
}

/** The shortest x for which `columns` times x comes nearest to b; equations may repeat each other. */
export function leastSquares(columns, b) {
  const { A, V } = squared(columns);
  const sizes = A.map((column) => dot(column, column));
  const least = RANK ** 2 * Math.max(...sizes);
  const parts = A.map((column, k) => (sizes[k] > least ? dot(column, b) / sizes[k] : 0));
  return V.map((_, r) => V.reduce((sum, v, k) => sum + v[r] * parts[k], 0));
}

/** Numbers from 0 to 1 that look like chance, the same in each call. */
export function chances() {
  let seed = 1;
  return () => (seed = (seed * 16807) % 2147483647) / 2147483647;
}
