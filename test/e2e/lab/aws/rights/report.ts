/** Counts requests by sender and service, and remembers what was denied. */
export interface RightsReport {
  count(sender: string, service: string): void;
  deny(sender: string, action: string, reason: string): void;
  /** One line for each sender: how many of its requests each service has received. */
  lines(): readonly string[];
  /** A case needs a right that the stack has not: denials whose line matches are no failures. */
  expect(denial: RegExp): void;
  /**
   * @throws Error - a request was denied since the start, and the case did not expect it
   */
  check(): void;
}

export function createRightsReport(): RightsReport {
  const counts = new Map<string, Map<string, number>>();
  const denials = new Map<string, number>();
  const expected: RegExp[] = [];
  const total = (numbers: Iterable<number>): number => [...numbers].reduce((sum, one) => sum + one, 0);

  return {
    count(sender, service) {
      const ofSender = counts.get(sender) ?? new Map<string, number>();
      ofSender.set(service, (ofSender.get(service) ?? 0) + 1);
      counts.set(sender, ofSender);
    },
    deny(sender, action, reason) {
      const line = `${sender}: ${action}: ${reason}`;
      denials.set(line, (denials.get(line) ?? 0) + 1);
    },
    lines() {
      const all = total([...counts.values()].map((ofSender) => total(ofSender.values())));
      const rows = [...counts].toSorted(([one], [other]) => one.localeCompare(other));
      return [
        `requests evaluated: ${all}, denied: ${total(denials.values())}`,
        ...rows.map(([sender, ofSender]) => {
          const services = [...ofSender].toSorted(([one], [other]) => one.localeCompare(other));
          return `  ${sender}: ${services.map(([service, count]) => `${service} ${count}`).join(', ')}`;
        }),
        ...[...denials].map(([line, count]) => `  DENIED ${count} times: ${line}`),
      ];
    },
    expect(denial) {
      expected.push(denial);
    },
    check() {
      const lines = [...denials.keys()].filter((line) => !expected.some((one) => one.test(line)));
      if (lines.length > 0) throw new Error(`requests were denied:\n${lines.join('\n')}`);
    },
  };
}
