import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { mortise } from '../../call.ts';
import { createDraw, type Manifest } from './objects.ts';
import { drawOldObject } from './old-objects.ts';
import { SHAPES, type Shape } from './shapes.ts';

const FILES = 200;

/** The kinds of the alpha API, with the kinds that replace them. */
const SUCCESSORS: Readonly<Record<string, string>> = {
  Provisioner: 'NodePool',
  AWSNodeTemplate: 'EC2NodeClass',
};

const SPOKEN: readonly Shape[] = SHAPES.filter(
  ({ isManifest, isOfOneKind, name }) => isManifest === 'always' && !isOfOneKind && name !== 'a kustomize tree',
);

const identityOf = ({ kind, metadata }: Pick<Manifest, 'kind' | 'metadata'>): string =>
  `${SUCCESSORS[kind] ?? kind} ${metadata.name}`;

const writtenSchema = z.object({ kind: z.string(), metadata: z.looseObject({ name: z.string() }) });

async function convert(seed: number) {
  const draw = createDraw(seed);
  const count = 1 + Math.floor(draw.share('count') * 6);
  const objects = Array.from({ length: count }, (_, at) => drawOldObject(at, draw));
  const shape = SPOKEN[seed % SPOKEN.length] ?? expect.fail('no shape');
  const files = shape.write(objects, draw);
  const names = Object.keys(files).flatMap((file) => ['-f', file]);
  const { code, stdout, stderr } = await mortise(['convert', ...names, '-o', 'yaml'], { files });
  const written = parseAllDocuments(stdout, { version: '1.1' }).flatMap((document) => {
    const { data } = writtenSchema.safeParse(document.toJS());
    return data ? [identityOf(data)] : [];
  });
  return { seed, shape: shape.name, objects, code, written, stderr };
}

describe('200 mixed files', () => {
  it('lose no object in a conversion, or it fails and names each one', async () => {
    let complete = 0;
    for (let seed = 1; seed <= FILES; seed += 1) {
      const { objects, code, written, stderr, shape } = await convert(seed);

      const read = objects.map(identityOf);
      const missing = [...new Set(read)].filter((one) => !written.includes(one));
      const lost = read.length - written.length;
      if (code === 0) {
        complete += 1;
        expect({ seed, shape, written: written.toSorted() }).toEqual({
          ...{ seed, shape },
          written: read.toSorted(),
        });
      } else {
        expect({ seed, shape, code, stderr }).toMatchObject({ code: 1 });
        const isNamed = [...missing].every((one) => stderr.includes(one.split(' ')[1] ?? one));
        const names = new Set(read.filter((one, at) => read.indexOf(one) !== at));
        const isTold = [...names].every((one) => stderr.includes(one.split(' ')[1] ?? one));
        expect({ seed, shape, lost, isNamed, isTold, stderr }).toMatchObject({
          ...{ isNamed: true, isTold: true },
        });
      }
    }
    expect(complete).toBeGreaterThan(FILES / 4);
    expect(complete).toBeLessThan(FILES);
  });
});
