import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { admit } from '../../../shared/api/admission/admit.ts';
import { withDefaults } from '../../../shared/api/admission/defaults.ts';
import { EC2_NODE_CLASS } from '../../../shared/api/custom-resources/ec2-node-class.ts';
import { NODE_POOL } from '../../../shared/api/custom-resources/node-pool.ts';
import type { SchemaNode } from '../../../shared/api/schema/schema.ts';
import { canonicalText } from '../../../shared/api/static-hash.ts';
import { readEC2NodeClass } from '../../../shared/api/stored-objects/ec2-node-class.ts';
import { readNodePool } from '../../../shared/api/stored-objects/node-pool.ts';
import { readStored } from '../../../shared/api/stored-objects/read-stored.ts';
import { durationMs } from '../../../shared/model/duration.ts';
import { anyValueOf } from '../support/any-object.ts';
import { nodeClass, nodePool } from '../support/read-text.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Returns `undefined` if the API server would not store the object, or it could launch no node. */
function classHash(spec: Fields): string | undefined {
  const admission = admit(EC2_NODE_CLASS, nodeClass(spec));
  if (admission.outcome === 'refused') return undefined;
  const stored = readStored(EC2_NODE_CLASS, admission.object);
  const read = stored.outcome === 'read' && readEC2NodeClass('default', stored.value);
  return read && read.outcome === 'read' ? read.value.hash : undefined;
}

function poolHash(spec: Fields, template: Fields, metadata: Fields): string | undefined {
  const admission = admit(NODE_POOL, nodePool(spec, template, metadata));
  if (admission.outcome === 'refused') return undefined;
  const stored = readStored(NODE_POOL, admission.object);
  return stored.outcome === 'read' ? readNodePool('general', stored.value).hash : undefined;
}

interface Part {
  readonly schema: SchemaNode | undefined;
  readonly hashOf: (fields: Fields) => string | undefined;
  /** Fields whose change makes other nodes. */
  readonly hashed: readonly string[];
  /** Fields that are compared in another way or change no node. */
  readonly others: readonly string[];
}

const { template } = NODE_POOL.spec.properties ?? {};

const PARTS: Readonly<Record<string, Part>> = {
  'an EC2NodeClass': {
    schema: EC2_NODE_CLASS.spec,
    // A class with a profile has no role.
    hashOf: (fields) => classHash('instanceProfile' in fields ? { role: undefined, ...fields } : fields),
    hashed: [
      'placementGroupSelector',
      'associatePublicIPAddress',
      'userData',
      'role',
      'instanceProfile',
      'tags',
      'blockDeviceMappings',
      'instanceStorePolicy',
      'networkInterfaces',
      'detailedMonitoring',
      'metadataOptions',
      'connectionTracking',
      'context',
      'cpuOptions',
      'enclaveOptions',
      'kubelet',
      // Hashed as the resolved family, together with the alias.
      'amiFamily',
    ],
    others: [
      'subnetSelectorTerms',
      'securityGroupSelectorTerms',
      'capacityReservationSelectorTerms',
      'amiSelectorTerms',
      'ipPrefixCount',
    ],
  },
  'a NodePool': {
    schema: NODE_POOL.spec,
    hashOf: (fields) => poolHash(fields, {}, {}),
    hashed: ['template'],
    others: ['weight', 'replicas', 'limits', 'disruption'],
  },
  'the template of a NodePool': {
    schema: template?.properties?.spec,
    hashOf: (fields) => poolHash({}, fields, {}),
    hashed: ['taints', 'startupTaints', 'nodeClassRef', 'terminationGracePeriod', 'expireAfter'],
    others: ['requirements'],
  },
  'the metadata of a template': {
    schema: template?.properties?.metadata,
    hashOf: (fields) => poolHash({}, {}, fields),
    hashed: ['labels', 'annotations'],
    others: [],
  },
};

/** Values of equal meaning count once: the hash must not separate them. */
function meaningOf(field: string, schema: SchemaNode, written: unknown): string {
  const value = withDefaults(schema, written);
  if (field === 'expireAfter' || field === 'terminationGracePeriod') {
    return value === 'Never' ? 'Never' : `${durationMs(`${String(value)}`)}`;
  }
  if (field === 'enclaveOptions') return canonicalText(value).includes('true') ? 'enclaves' : '';
  // Sizes and flags of volumes, and the family next to an alias, have their own tests.
  return field === 'blockDeviceMappings' || field === 'amiFamily' ? '' : canonicalText(value);
}

describe.each(Object.entries(PARTS))('the hash of %s', (_, { schema, hashOf, hashed, others }) => {
  const fields = schema?.properties ?? {};

  it('is defined for every field', () => {
    expect([...hashed, ...others].toSorted()).toEqual(Object.keys(fields).toSorted());
  });

  // The fields of the template are listed one by one.
  const single = hashed.filter((field) => field !== 'template');
  it.each(single)('changes with %s if the meaning changes', (field) => {
    const node = fields[field] ?? {};
    const anyValue = anyValueOf(node);
    fc.assert(
      fc.property(anyValue, anyValue, (one, other) => {
        const hashes = [hashOf({ [field]: one }), hashOf({ [field]: other })];
        if (hashes.includes(undefined)) return;
        if (meaningOf(field, node, one) === meaningOf(field, node, other)) return;

        expect(hashes[0]).not.toBe(hashes[1]);
      }),
    );
  });

  it.each(others)('does not change with %s', (field) => {
    const usual = hashOf({});
    fc.assert(
      fc.property(anyValueOf(fields[field] ?? {}), (value) => {
        const hash = hashOf({ [field]: value });

        expect(hash ?? usual).toBe(usual);
      }),
    );
  });
});
