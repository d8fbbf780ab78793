import type { CapacityType } from '../../../shared/model/offerings/instance-type.ts';
import type { Palette } from './palette.ts';

/**
 * Paints the capacity type as a shape, readable without colour: ◇ spot, ■ on-demand, ⬟ reserved.
 */
export function paintGlyph(
  context: CanvasRenderingContext2D,
  capacityType: CapacityType | undefined,
  { x, y, size }: { readonly x: number; readonly y: number; readonly size: number },
  palette: Palette,
): void {
  const half = size / 2;
  context.beginPath();
  switch (capacityType) {
    case 'spot':
      context.moveTo(x, y - half);
      context.lineTo(x + half, y);
      context.lineTo(x, y + half);
      context.lineTo(x - half, y);
      context.closePath();
      context.lineWidth = 1.5;
      context.strokeStyle = palette.spot;
      context.stroke();
      return;
    case 'on-demand':
      context.rect(x - half + 0.5, y - half + 0.5, size - 1, size - 1);
      context.fillStyle = palette.onDemand;
      context.fill();
      return;
    case 'reserved':
      for (let corner = 0; corner < 5; corner += 1) {
        const angle = -Math.PI / 2 + (corner * 2 * Math.PI) / 5;
        context.lineTo(x + half * Math.cos(angle), y + half * Math.sin(angle));
      }
      context.closePath();
      context.fillStyle = palette.reserved;
      context.fill();
      return;
    case undefined:
      context.arc(x, y, half - 1, 0, 2 * Math.PI);
      context.lineWidth = 1;
      context.strokeStyle = palette.ink3;
      context.stroke();
  }
}
