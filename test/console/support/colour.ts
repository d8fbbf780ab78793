type Vector = readonly [number, number, number];
type Matrix = readonly [Vector, Vector, Vector];

/**
 * Simulates complete colour blindness of three kinds, as matrices over linear RGB.
 *
 * @see Machado, Oliveira, Fernandes: A Physiologically-based Model for Simulation of Color Vision
 *   Deficiency, 2009, table 1, severity 1.0
 */
export const SIGHTS = {
  'full colour sight': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const satisfies Readonly<Record<string, Matrix>>;

const linear = (hex: string): Vector => {
  const channel = (at: number) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return [channel(1), channel(3), channel(5)];
};

const luminance = (hex: string): number => {
  const [r, g, b] = linear(hex);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/**
 * @see WCAG 2.2, contrast ratio
 */
export const contrast = (a: string, b: string): number => {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].toSorted((m, n) => m - n);
  return (light + 0.05) / (dark + 0.05);
};

const times = (matrix: Matrix, [x, y, z]: Vector): Vector => {
  const row = ([a, b, c]: Vector) => a * x + b * y + c * z;
  return [row(matrix[0]), row(matrix[1]), row(matrix[2])];
};

const TO_XYZ: Matrix = [
  [0.4124564, 0.3575761, 0.1804375],
  [0.2126729, 0.7151522, 0.072175],
  [0.0193339, 0.119192, 0.9503041],
];

function toLab(rgb: Vector): Vector {
  const [x, y, z] = times(TO_XYZ, rgb);
  const f = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const [fx, fy, fz] = [f(x / 0.95047), f(y), f(z / 1.08883)];
  return [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
}

const clamped = ([r, g, b]: Vector): Vector => {
  const clamp = (value: number) => Math.min(1, Math.max(0, value));
  return [clamp(r), clamp(g), clamp(b)];
};

/** Computes ΔE of CIE 1976 as perceived with a kind of colour vision. */
export function difference(a: string, b: string, sight: keyof typeof SIGHTS): number {
  const perceived = (hex: string) => toLab(clamped(times(SIGHTS[sight], linear(hex))));
  const [m, n] = [perceived(a), perceived(b)];
  return Math.hypot(m[0] - n[0], m[1] - n[1], m[2] - n[2]);
}
