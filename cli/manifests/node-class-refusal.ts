import type { RuntimeSettings } from '../../shared/api/runtime-validation/fault.ts';
import { ec2NodeClassSchema } from '../../shared/api/stored-objects/ec2-node-class.ts';
import { validateNodeClass } from '../../shared/ec2/node-class/validation.ts';
import type { ClusterFacts } from '../../shared/model/nodes/resolved-node-class.ts';

/**
 * A cluster whose facts add as little as possible to user data: what is too long for it is too long
 * for every cluster.
 */
const SMALLEST_CLUSTER: ClusterFacts = {
  name: 'c',
  endpoint: 'https://c',
  certificateAuthority: '',
  version: '1.36',
  serviceCidr: '10.100.0.0/16',
  dnsIp: '10.100.0.10',
};

/** Finds the refusal of a stored EC2NodeClass that needs no call to AWS, as the controller finds it. */
export const findClassRefusal: NonNullable<RuntimeSettings['findClassRefusal']> = (object, { gates }) => {
  const written = ec2NodeClassSchema.safeParse(object).data;
  if (!written) return undefined;
  const name = written.metadata.name ?? '';
  const result = validateNodeClass(name, written, SMALLEST_CLUSTER, {
    takesExpressions: gates.NodeClassCEL,
  });
  return result.outcome === 'refused' ? result : undefined;
};
