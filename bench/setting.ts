/** An environment variable that whoever starts this process has to set. */
export function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') throw new Error(`Expected the environment variable ${name} to be set`);
  return value;
}
