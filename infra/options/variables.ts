/** An option that the functions read as a variable of their environment, as it was written. */
export interface VariableOption {
  readonly variable: string;
  readonly isRight: (text: string) => boolean;
  /** Completes "The option … is …; it …". */
  readonly problem: string;
}

export type Variables = Readonly<Record<string, string>>;

/** @returns the variables of the options that are given; what is wrong is added to `problems` */
export function readVariables(
  options: Readonly<Record<string, VariableOption>>,
  context: (name: string) => unknown,
  problems: string[],
): Variables {
  const variables: Record<string, string> = {};
  for (const [name, { variable, isRight, problem }] of Object.entries(options)) {
    const value = context(name);
    if (value === undefined) continue;
    const text = String(value);
    if (isRight(text)) variables[variable] = text;
    else problems.push(`The option ${name} is ${JSON.stringify(value)}; it ${problem}.`);
  }
  return variables;
}
