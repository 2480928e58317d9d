# SPDX-License-Identifier: BSD-3-Clause
# What `cmake --install` puts where: programs in bin, sample cases and help in share/conoid.
include(GNUInstallDirs)
foreach(program conoid conoid-worker conoid-render conoid-probe conoid-gui)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
install(DIRECTORY resources/ DESTINATION ${CMAKE_INSTALL_DATADIR}/conoid)
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
