import { describe, expect, it } from 'vitest';
import { aTemplate, propertiesIn } from './fixture.ts';

const memoryIn = (size?: string): Readonly<Record<string, unknown>> => {
  const functions = propertiesIn(aTemplate(size === undefined ? {} : { size }), 'AWS::Lambda::Function');
  const worker = (name: string): unknown => functions.get(`${name}Function`)?.MemorySize;
  return {
    provisioning: worker('Provisioning'),
    sweep: worker('Sweep'),
    lifecycle: worker('NodeLifecycle'),
  };
};

describe('the option size', () => {
  it('is small by default', () => {
    expect(memoryIn()).toEqual(memoryIn('small'));
    expect(memoryIn()).toEqual({ provisioning: 1769, sweep: 1024, lifecycle: 512 });
  });

  it('gives more memory to functions that read the whole cluster, and to no others', () => {
    expect(memoryIn('medium')).toEqual({ provisioning: 1769, sweep: 1769, lifecycle: 512 });
    expect(memoryIn('large')).toEqual({ provisioning: 3008, sweep: 3008, lifecycle: 512 });
  });

  it('is refused if it is unknown', () => {
    expect(() => aTemplate({ size: 'huge' })).toThrow('must be one of small, medium, large');
  });
});
