import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { REASONS } from '../../shared/model/explanations/reasons.ts';
import { PUBLISHED_KINDS } from '../../shared/model/published-events/kinds.ts';
import { mortise } from './call.ts';

const jsonSchema = z.looseObject({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()),
});

describe('machine output', () => {
  it('has one envelope for every kind', async () => {
    const { stdout } = await mortise(['reasons', 'empty', '-o', 'json']);

    expect(JSON.parse(stdout)).toEqual({
      apiVersion: 'cli.mortise.sh/v1',
      kind: 'Reasons',
      schemaVersion: '1.0',
      source: {},
      complete: true,
      warnings: [],
      result: {
        reasons: [
          {
            code: 'empty',
            emitter: 'disruption',
            sentence: 'removed: no pods since {since}',
            fields: ['since'],
            meaning: 'The node is removed: only DaemonSet pods ran on it.',
            causes: [],
            fixes: ['raise consolidateAfter to keep empty nodes longer'],
          },
        ],
      },
    });
  });

  it('contains the same document as YAML', async () => {
    const { stdout } = await mortise(['reasons', 'empty', '-o', 'yaml']);

    expect(stdout).toContain('kind: Reasons\n');
    expect(stdout).toContain('  - code: empty\n');
  });

  it('consists of kind/name lines with -o name', async () => {
    const { stdout } = await mortise(['reasons', '-o', 'name']);

    expect(stdout).toBe(
      Object.keys(REASONS)
        .map((code) => `reason/${code}\n`)
        .join(''),
    );
  });

  it('accepts its flag before the verb too', async () => {
    const before = await mortise(['-o', 'json', 'version']);

    expect(before).toEqual(await mortise(['version', '-o', 'json']));
  });

  it.for(['Simulation', 'InstanceTypes', 'Reasons', 'Version', 'ConfigView', 'Playground'])(
    'has a JSON Schema for %s',
    async (kind) => {
      const { code, stdout } = await mortise(['schema', kind]);
      const schema = jsonSchema.parse(JSON.parse(stdout));

      expect(code).toBe(0);
      expect(schema.properties.kind).toEqual({ type: 'string', const: kind });
      expect(schema.required).toContain('result');
    },
  );

  it.for(PUBLISHED_KINDS)('has a JSON Schema for the event %s', async (kind) => {
    const { code, stdout } = await mortise(['schema', kind]);
    const schema = jsonSchema.parse(JSON.parse(stdout));

    expect(code).toBe(0);
    expect(schema.properties['detail-type']).toEqual({ type: 'string', const: kind });
    expect(schema.required).toEqual(['source', 'detail-type', 'detail']);
  });

  it('has a JSON Schema for errors, which have no envelope', async () => {
    const { stdout } = await mortise(['schema', 'Error']);
    const schema = jsonSchema.parse(JSON.parse(stdout));

    expect(schema.required).toEqual(['kind', 'code', 'what', 'exitCode', 'retriable']);
  });
});
