import { describe, expect, it } from 'vitest';
import { createCpuOptions } from './cpu-options.ts';

const NESTED = { 'LaunchTemplateData.CpuOptions.NestedVirtualization': 'enabled' };
const INSTANCES = '<instanceId>i-1</instanceId><instanceId>i-2</instanceId>';

const answerOf = (text: string) => ({ status: 200, headers: {}, body: Buffer.from(text) });

describe('the CPU options of instances in the lab', () => {
  it('are those of the launch template', () => {
    const options = createCpuOptions();
    options.readTemplate(new URLSearchParams({ LaunchTemplateName: 'nested', ...NESTED }));
    options.readTemplate(new URLSearchParams({ LaunchTemplateName: 'plain' }));
    options.addInstances('nested', ['i-1']);
    options.addInstances('plain', ['i-2']);

    expect(options.annotate(answerOf(INSTANCES)).body.toString()).toBe(
      '<instanceId>i-1</instanceId><cpuOptions><nestedVirtualization>enabled</nestedVirtualization></cpuOptions><instanceId>i-2</instanceId>',
    );
  });
});
