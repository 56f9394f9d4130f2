/** Passes on the first reports and then says that there are more: a flood of them tells no more than its beginning. */
export function limitReports(report: (problem: string) => void, limit = 100): (problem: string) => void {
  let reported = 0;
  return (problem) => {
    reported += 1;
    if (reported <= limit) report(problem);
    else if (reported === limit + 1) report('more of the kind, which is not reported any more');
  };
}
