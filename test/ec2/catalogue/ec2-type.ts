import type { Ec2Type } from '../../../shared/ec2/catalogue/ec2-types.ts';
import { findEc2Type } from '../../../shared/ec2/catalogue/ec2-types.ts';
import { type TypeSettings, toInstanceType } from '../../../shared/ec2/catalogue/instance-types.ts';
import type { EC2NodeClass } from '../../../shared/model/nodes/node-class.ts';
import type { InstanceType } from '../../../shared/model/offerings/instance-type.ts';
import { aNodeClass } from '../../support/builders.ts';

/** Returns a bundled type by name; throws for an unknown name. */
export function ec2Type(name: string): Ec2Type {
  const type = findEc2Type(name);
  if (!type) throw new Error(`no bundled type ${name}`);
  return type;
}

/** Returns the instance type for nodes of the class. */
export function typeOf(name: string, nodeClass: Partial<EC2NodeClass> = {}, settings?: TypeSettings): InstanceType {
  const type = toInstanceType(ec2Type(name), aNodeClass(nodeClass), settings);
  if (!type) throw new Error(`${name} cannot be computed`);
  return type;
}
