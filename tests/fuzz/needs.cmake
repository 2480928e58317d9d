# SPDX-License-Identifier: BSD-3-Clause
# What each fuzz target needs besides its source: no more, or the build would take long.
function(conoid_fuzz_needs target name)
  set(solvers "${PROJECT_SOURCE_DIR}/engine/solvers")
  target_include_directories(${target} PRIVATE "${CMAKE_CURRENT_FUNCTION_LIST_DIR}")
  target_link_libraries(${target} PRIVATE conoid_settings)
  if(name MATCHES "^mesh_")
    target_link_libraries(${target} PRIVATE conoid_mesh)
  elseif(name STREQUAL "case")
    target_link_libraries(${target} PRIVATE conoid_case)
  elseif(name MATCHES "^(checkpoint|results|segy)$")
    target_link_libraries(${target} PRIVATE conoid_io)
  elseif(name STREQUAL "table")
    # The readers of tables alone: the kernels of their solvers would take minutes to build.
    target_sources(${target} PRIVATE "${solvers}/acoustic_fd/signal.cpp" "${solvers}/hydro_fem/eos_file.cpp")
    target_link_libraries(${target} PRIVATE conoid_io)
  elseif(name STREQUAL "folder")
    # The window's reader of run folders knows nothing of windows; of the session it needs the names of states, without solvers.
    set(session "${PROJECT_SOURCE_DIR}/engine/session")
    target_sources(${target} PRIVATE "${PROJECT_SOURCE_DIR}/app/model/stored_run.cpp" "${session}/control.cpp"
      "${session}/frame_channel.cpp" "${session}/event_queue.cpp" "${session}/run_lock.cpp")
    target_link_libraries(${target} PRIVATE conoid_case conoid_io conoid_team)
  elseif(name STREQUAL "wire")
    target_link_libraries(${target} PRIVATE conoid_session)
  endif()
endfunction()
