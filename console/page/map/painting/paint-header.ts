import type { CapacityType } from '../../../../shared/model/offerings/instance-type.ts';
import { formatShortUsd } from '../../../format.ts';
import type { NodeState } from '../../../views.ts';
import type { SceneBox } from '../layout/scene.ts';
import { type Brush, FAMILY_FONT, NOTE_FONT, SMALL_FONT, TYPE_FONT } from './brush.ts';
import type { Palette } from './palette.ts';
import type { TextFitter } from './text-fit.ts';

/** Vertical position of the header's text. */
export const HEADER_MIDDLE = 10.5;
export const HEADER_LEFT = 19;
const NARROW = 54;

/** Paints capacity type, instance type and price, and the name or a note if there is space. */
export function paintHeader(brush: Brush, sceneBox: SceneBox): void {
  const { box, item } = sceneBox;
  const centre = { x: box.x + 10, y: box.y + HEADER_MIDDLE, size: 9 };
  paintGlyph(brush.context, item.node.capacityType, centre, brush.palette);
  if (box.w < NARROW) paintFamily(brush, sceneBox);
  else paintWords(brush, sceneBox);
}

function paintWords({ context, palette, fitter }: Brush, { box, item }: SceneBox): void {
  const { node } = item;
  const middle = box.y + HEADER_MIDDLE;
  const textX = box.x + HEADER_LEFT;
  const price = node.hourlyUsd === undefined ? '' : formatShortUsd(node.hourlyUsd);
  const priceWidth = fitter.width(price, SMALL_FONT);
  const room = box.w - 25;
  const typeWidth = fitter.width(node.instanceType, TYPE_FONT);
  const hasPrice = price !== '' && typeWidth + priceWidth + 8 <= room;

  context.textBaseline = 'middle';
  context.font = TYPE_FONT;
  context.fillStyle = palette.ink1;
  context.fillText(shortType(fitter, node.instanceType, room), textX, middle);
  if (hasPrice) {
    context.font = SMALL_FONT;
    context.fillStyle = palette.ink2;
    context.fillText(price, box.x + box.w - 6 - priceWidth, middle);
  }

  // A countdown replaces the name; the overlay paints it.
  if (node.note?.until !== undefined) return;
  const nameRoom = room - typeWidth - (hasPrice ? priceWidth + 8 : 0) - 8;
  const text = node.note?.text ?? node.name;
  const font = node.note ? NOTE_FONT : SMALL_FONT;
  if (fitter.width(text, font) > nameRoom) return;
  context.font = font;
  context.fillStyle = node.note ? noteColor(palette, node.state) : palette.ink3;
  context.fillText(text, textX + typeWidth + 8, middle);
}

/** Shows the family if the whole type does not fit. */
function paintFamily({ context, palette, fitter }: Brush, { box, item }: SceneBox): void {
  const { instanceType } = item.node;
  const family = instanceType.slice(0, instanceType.indexOf('.'));
  context.font = FAMILY_FONT;
  context.textBaseline = 'middle';
  context.fillStyle = palette.ink1;
  context.fillText(fitter.fit(family, FAMILY_FONT, box.w - 20), box.x + 17, box.y + HEADER_MIDDLE);
}

/** Returns the type's name, or its family if the name does not fit. */
function shortType(fitter: TextFitter, instanceType: string, room: number): string {
  if (fitter.width(instanceType, TYPE_FONT) <= room) return instanceType;
  return fitter.fit(instanceType.slice(0, instanceType.indexOf('.')), TYPE_FONT, room);
}

export const noteColor = (palette: Palette, state: NodeState): string => palette[NOTE_COLORS[state] ?? 'ink2'];

const NOTE_COLORS: Readonly<Partial<Record<NodeState, 'accent' | 'warn' | 'bad'>>> = {
  starting: 'accent',
  registered: 'accent',
  interrupted: 'warn',
  'not-ready': 'bad',
};

/**
 * Paints the capacity type as a shape, readable without colour: ◇ spot, ■ on-demand, ⬟ reserved.
 */
function paintGlyph(
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
