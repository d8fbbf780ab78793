import type { Answer } from '../../forward.ts';
import { xmlAnswer } from '../fleet-errors.ts';
import type { Override } from '../fleet-parameters.ts';

/** A part of EC2 that the emulator lacks. */
export interface Ec2Feature {
  /** Answers the actions of the feature; returns undefined for others. */
  answer?(action: string, parameters: URLSearchParams): Answer | undefined;
  /** False if a template cannot launch this override now. */
  hasCapacity?(template: LaunchTemplate, override: Override): boolean;
  /** @param fleet - the request that launched it */
  addInstance(template: LaunchTemplate, instanceId: string, fleet: URLSearchParams): void;
  removeInstance?(instanceId: string): void;
  /** Adds the feature to an instance of DescribeInstances. */
  describeInstance(xml: string, instanceId: string): string;
  /** Adds it to a volume or network interface of an instance. */
  describeAttached?(type: AttachedType, xml: string, instanceId: string): string;
}

export type AttachedType = 'volume' | 'network-interface';

/** The data of a launch template, by EC2's flat names without the common prefix. */
export type LaunchTemplate = ReadonlyMap<string, string>;

const PREFIX = 'LaunchTemplateData.';

/** Reads a CreateLaunchTemplate request. */
export const readTemplate = (parameters: URLSearchParams): LaunchTemplate =>
  new Map(
    [...parameters]
      .filter(([name]) => name.startsWith(PREFIX))
      .map(([name, value]) => [name.slice(PREFIX.length), value]),
  );

/** Returns the values of a flat list such as `GroupName.1`, `GroupName.2`. */
export const listValues = (parameters: URLSearchParams, name: string): readonly string[] =>
  [...parameters]
    .filter(([key]) => key.startsWith(`${name}.`) && /^\d+$/.test(key.slice(name.length + 1)))
    .map(([, value]) => value);

/** Returns the filters of a request: the accepted values by name. */
export const readFilters = (parameters: URLSearchParams): ReadonlyMap<string, readonly string[]> =>
  new Map(
    [...parameters]
      .filter(([key]) => /^Filter\.\d+\.Name$/.test(key))
      .map(([key, name]) => [name, listValues(parameters, key.replace(/Name$/, 'Value'))]),
  );

/** Builds the answer of an action in EC2's format. */
export const answerTo = (action: string, content: string): Answer =>
  xmlAnswer(
    200,
    `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/">` +
      `<requestId>lab</requestId>${content}</${action}Response>`,
  );
