export interface Report {
  passed: number;
  failed: number;
  broken: string[];
  skipped: string[];
  notRun: string[];
}

export function readReport(file: string, missing: Map<string, string>): Report;
