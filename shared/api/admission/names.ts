/** Names as Kubernetes' own machinery judges them. */

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LONGEST_SUBDOMAIN = 253;
const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]$/;

export const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
export const LONGEST_LABEL_VALUE = 63;

export const isLabelValue = (value: string): boolean =>
  value.length <= LONGEST_LABEL_VALUE && LABEL_VALUE.test(value);

/** A lower-case DNS subdomain of at most 253 characters. */
export const isSubdomain = (text: string): boolean =>
  text.length <= LONGEST_SUBDOMAIN && SUBDOMAIN.test(text);

/** A name of at most 63 characters, with a DNS subdomain before it if need be. */
export function isQualified(text: string): boolean {
  const slash = text.indexOf('/');
  if (slash < 0) return NAME.test(text);
  return isSubdomain(text.slice(0, slash)) && NAME.test(text.slice(slash + 1));
}
