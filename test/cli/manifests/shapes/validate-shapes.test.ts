import { describe, expect, it } from 'vitest';
import { validationSchema } from '../../../../cli/documents/validation.ts';
import { documentOf, mortise } from '../../call.ts';
import { createDraw, foreignObject, type KnownObject, makeObject } from './objects.ts';
import { SHAPES, type Shape } from './shapes.ts';

const FILES_PER_SHAPE = 10;

interface ShapedFiles {
  readonly objects: readonly KnownObject[];
  readonly files: Readonly<Record<string, string>>;
}

/** Every second file has one object with a fault. */
function writeFiles(shape: Shape, seed: number): ShapedFiles {
  const draw = createDraw(seed);
  const count = 1 + Math.floor(draw.share('count') * 4);
  const faulty = seed % 2 === 0 ? -1 : Math.floor(draw.share('faulty') * count);
  const kind = shape.isOfOneKind ? draw.oneOf('kind', ['NodePool', 'EC2NodeClass']) : undefined;
  const objects = Array.from({ length: count }, (_, at) => makeObject(`object-${at}`, draw, at !== faulty, kind));
  const foreign = !shape.isOfOneKind && draw.share('foreign') < 0.5 ? [foreignObject('settings')] : [];
  const values = [...objects.map(({ value }) => value), ...foreign];
  return { objects, files: shape.write(values, draw) };
}

const validate = async ({ files }: ShapedFiles, ...flags: string[]) => {
  const names = Object.keys(files).flatMap((file) => ['-f', file]);
  return await mortise(['validate', ...names, ...flags], { files });
};

const seeds = Array.from({ length: FILES_PER_SHAPE }, (_, seed) => seed + 1);
const shapesWhere = (isManifest: Shape['isManifest']) => SHAPES.filter((shape) => shape.isManifest === isManifest);

describe('200 files in 20 shapes', () => {
  it('are as many', () => {
    expect([SHAPES.length, SHAPES.length * FILES_PER_SHAPE]).toEqual([20, 200]);
  });

  it.each(shapesWhere('always'))('have the verdict of each object: $name', async (shape) => {
    for (const seed of seeds) {
      const shaped = writeFiles(shape, seed);

      const outcome = await validate(shaped, '-o', 'json');

      const { objects } = validationSchema.parse(documentOf(outcome).result);
      const verdicts = objects
        .filter(({ kind }) => kind === 'NodePool' || kind === 'EC2NodeClass')
        .map(({ kind, name, verdict }) => [kind, name, verdict]);
      const expected = shaped.objects.map(({ value, isValid }) => [
        value.kind,
        value.metadata.name,
        isValid ? 'accepted' : 'refused',
      ]);
      expect({ seed, verdicts }).toEqual({ seed, verdicts: expected });
      expect(outcome.code).toBe(shaped.objects.every(({ isValid }) => isValid) ? 0 : 1);
    }
  });

  // An API server stores a placeholder in quotes as the text that it is: that is worth a warning.
  it.each(shapesWhere('never'))('are never accepted without a word before they are manifests: $name', async (shape) => {
    for (const seed of seeds) {
      const { code, stdout, stderr } = await validate(writeFiles(shape, seed));

      const isTold = code === 1 || `${stdout}${stderr}`.includes('fill it in first');
      expect({ seed, isTold, out: stdout + stderr }).toMatchObject({ seed, isTold: true });
    }
  });
});
