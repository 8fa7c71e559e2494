# onnxpress_embed_page(<output.cpp> <constant> <page.html> <styles> <scripts>): one string of these files below cli/, so that
# the installed command needs no file beside it. Scripts in the order in which they need each other. Done when configuring; a
# change of one of them configures anew.
function(onnxpress_embed_page output constant html styles scripts)
  set(folder "${PROJECT_SOURCE_DIR}/cli")
  foreach(kind styles scripts)
    set(${kind}_text "")
    foreach(name IN LISTS ${kind})
      file(READ "${folder}/${name}" part)
      string(APPEND ${kind}_text "${part}\n")
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/${name}")
    endforeach()
  endforeach()
  file(READ "${folder}/${html}" page)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/${html}")
  string(REPLACE "{{style}}" "${styles_text}" page "${page}")
  string(REPLACE "{{script}}" "${scripts_text}" page "${page}")
  configure_file("${folder}/report_page/page.cpp.in" "${output}" @ONLY)
endfunction()
