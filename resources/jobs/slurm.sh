#!/bin/bash
#SBATCH --job-name=@name@
#SBATCH --ntasks=@ranks@
#SBATCH --cpus-per-task=@threads@
#SBATCH --gres=gpu:@devices@
#SBATCH --time=@time@
#SBATCH --partition=@partition@
#SBATCH --account=@account@
#SBATCH --signal=B:TERM@@notice@
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=job.out
# Computes the case in this folder. Shortly before the time is over the run stops and keeps a checkpoint (exit code 75); the job is
# then put into the queue again and goes on from there, as it does where the node was lost.
cd "${SLURM_SUBMIT_DIR:?}" || exit 4
what=(run case.json --out run)
if [ -e run/case.json ]; then what=(resume run); fi
@command@ "${what[@]}" @options@ --progress plain &
child=$!
trap 'kill -TERM "$child" 2>/dev/null' TERM
wait "$child"
code=$?
# A signal ends `wait` and not the run.
while kill -0 "$child" 2>/dev/null; do
  wait "$child"
  code=$?
done
if [ "$code" = 75 ]; then scontrol requeue "$SLURM_JOB_ID"; fi
exit "$code"
