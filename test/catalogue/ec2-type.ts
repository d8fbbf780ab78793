import type { Ec2Type } from '../../shared/catalogue/ec2-types.ts';
import { findEc2Type } from '../../shared/catalogue/ec2-types.ts';

/** A bundled type by name; a misspelt one ends the test. */
export function ec2Type(name: string): Ec2Type {
  const type = findEc2Type(name);
  if (!type) throw new Error(`no bundled type ${name}`);
  return type;
}
