import type { Answer } from '../forward.ts';

/** CPU options of launch templates and their instances, which the emulator forgets. */
export interface CpuOptions {
  /** Reads a CreateLaunchTemplate request. */
  readTemplate(parameters: URLSearchParams): void;
  /** Remembers the options of instances that a template launched. */
  addInstances(template: string, instanceIds: readonly string[]): void;
  /** Adds the options to the instances of a DescribeInstances response. */
  annotate(answer: Answer): Answer;
}

export function createCpuOptions(): CpuOptions {
  const nestedByTemplate = new Map<string, string>();
  const nestedByInstance = new Map<string, string>();

  return {
    readTemplate(parameters) {
      const nested = parameters.get('LaunchTemplateData.CpuOptions.NestedVirtualization');
      const name = parameters.get('LaunchTemplateName');
      if (nested !== null && name !== null) nestedByTemplate.set(name, nested);
    },
    addInstances(template, instanceIds) {
      const nested = nestedByTemplate.get(template);
      if (nested === undefined) return;
      for (const id of instanceIds) nestedByInstance.set(id, nested);
    },
    annotate(answer) {
      if (nestedByInstance.size === 0) return answer;
      const text = answer.body
        .toString()
        .replaceAll(/<instanceId>(i-\w+)<\/instanceId>/g, (element, id: string) => {
          const nested = nestedByInstance.get(id);
          return nested === undefined
            ? element
            : `${element}<cpuOptions><nestedVirtualization>${nested}</nestedVirtualization></cpuOptions>`;
        });
      return { ...answer, body: Buffer.from(text) };
    },
  };
}
