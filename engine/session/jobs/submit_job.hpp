// SPDX-License-Identifier: BSD-3-Clause
// A case becomes a job: a folder that can travel, brought to its machine and put into the queue there, or started detached. The command
// `conoid submit` and the window both do it here.
//
// JOB/case.json JOB/files/… JOB/job.sh JOB/job.json (its number and place) JOB/job.out JOB/run (the run folder)
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/case/document.hpp"
#include "engine/core/error.hpp"
#include "engine/session/jobs/compute_host.hpp"
#include "engine/session/jobs/job_place.hpp"

namespace conoid {

struct JobRequest {
  ComputeHost at;                  ///< where, and what is asked there; its name does not matter
  std::string script;              ///< a template of one's own; empty: the program's (resources/jobs)
  std::vector<std::string> words;  ///< further options of `conoid run`: {"--workers", "cpu"}
};

/// Whether a case is sound as far as its schema sees, and the files that it names are there: the first error.
[[nodiscard]] Status check_to_submit(const CaseDocument& document);
/// What a job of this case is called in queues and folders.
[[nodiscard]] std::string job_name(const CaseDocument& document);
/// The script that computes; nothing is written.
[[nodiscard]] Result<std::string> job_script(const JobRequest& request, const std::string& name);
/// "20260102T030405Z-wall", below jobs/.
[[nodiscard]] std::string job_folder_name(const std::string& name);
/// Makes the folder, which must not be there, brings it to the machine and starts the job. Blocks: files are copied, and a network may be
/// between; any thread. Where the job could not be started the folder stays, without a job.json; errors (remote) say what the machine said.
[[nodiscard]] Result<JobRecord> submit_job(const CaseDocument& document, const JobRequest& request,
                                           const std::filesystem::path& folder, const std::stop_token& stop = {});

}  // namespace conoid
