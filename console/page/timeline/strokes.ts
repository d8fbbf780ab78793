/** A vertical hairline. */
export function line(ctx: CanvasRenderingContext2D, color: string, x: number, from: number, to: number): void {
  ctx.strokeStyle = color;
  ctx.lineWidth = 1;
  ctx.beginPath();
  ctx.moveTo(x, from);
  ctx.lineTo(x, to);
  ctx.stroke();
}

/** Fills the area between a path and a level. */
export function fillBelow(
  ctx: CanvasRenderingContext2D,
  path: readonly (readonly [number, number])[],
  bottom: number,
  { color, alpha }: { readonly color: string; readonly alpha: number },
): void {
  const [first] = path;
  const last = path.at(-1);
  if (!first || !last) return;
  ctx.globalAlpha = alpha;
  ctx.fillStyle = color;
  ctx.beginPath();
  ctx.moveTo(first[0], bottom);
  for (const [x, y] of path) ctx.lineTo(x, y);
  ctx.lineTo(last[0], bottom);
  ctx.fill();
  ctx.globalAlpha = 1;
}

export function strokePath(
  ctx: CanvasRenderingContext2D,
  path: readonly (readonly [number, number])[],
  color: string,
  width: number,
): void {
  ctx.strokeStyle = color;
  ctx.lineWidth = width;
  ctx.beginPath();
  for (const [index, [x, y]] of path.entries()) {
    if (index === 0) ctx.moveTo(x, y);
    else ctx.lineTo(x, y);
  }
  ctx.stroke();
}
