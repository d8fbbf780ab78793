import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KUBELET } from '../../shared/api/runtime-validation/kubelet-fields.ts';
import type { SchemaNode } from '../../shared/api/schema/schema.ts';
import type { Fact } from './fact.ts';

const kubeletFact = (path: readonly string[]): Fact => ({
  kind: 'field',
  name: `KubeletConfiguration.${path.join('.')}`,
  value: '',
});

/** Lists the fields of the kubelet's configuration file in a folder of the module k8s.io/kubelet. */
export function listKubeletFacts(folder: string): readonly Fact[] {
  const text = readFileSync(join(folder, 'config/v1beta1/types.go'), 'utf8');
  const structs = new Map(
    [...text.matchAll(/^type (\w+) struct \{$([\s\S]*?)^\}$/gm)].map(([, name = '', body = '']) => [name, body]),
  );

  // Structs of other packages, such as the configuration of logs, are compared as one field.
  function listFields(struct: string, path: readonly string[]): readonly Fact[] {
    const fields = [...(structs.get(struct) ?? '').matchAll(/^\t\w+ +(\S+) +`json:"(\w+)/gm)];
    return fields.flatMap(([, type = '', name = '']) => {
      const nested = listFields(type.replace(/^[*[\]]+/, ''), [...path, name]);
      return nested.length > 0 ? nested : [kubeletFact([...path, name])];
    });
  }

  return listFields('KubeletConfiguration', []);
}

/** Structs of other packages than the kubelet's. */
const FOREIGN: ReadonlySet<string> = new Set(['logging', 'tracing']);
/** Fields that every configuration file has. */
const TYPE_META: ReadonlySet<string> = new Set(['kind', 'apiVersion']);

/** Lists the fields that Mortise knows. */
export function listOurKubeletFacts(): readonly Fact[] {
  const listFields = (node: SchemaNode, path: readonly string[]): readonly Fact[] =>
    Object.entries(node.properties ?? {}).flatMap(([name, field]) => {
      const nested = FOREIGN.has(name) ? [] : listFields(field.items ?? field, [...path, name]);
      return nested.length > 0 ? nested : [kubeletFact([...path, name])];
    });
  return listFields(KUBELET, []).filter(({ name }) => !TYPE_META.has(name.slice('KubeletConfiguration.'.length)));
}
