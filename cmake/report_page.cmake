# onnxpress_embed_page(<output.cpp> <constant> <folder> <script>...): one string of the files in cli/<folder>/, so that the
# installed command needs no file beside it. Scripts are listed in the order in which they need each other; the style, and
# scripts that the folder does not have, are those of cli/report_page/. Done when configuring; a change of one of them
# configures anew.
function(onnxpress_embed_page output page_constant page_folder)
  set(folder "${PROJECT_SOURCE_DIR}/cli/${page_folder}")
  set(shared "${PROJECT_SOURCE_DIR}/cli/report_page")
  set(script "")
  foreach(name ${ARGN})
    set(file "${folder}/${name}.js")
    if(NOT EXISTS "${file}")
      set(file "${shared}/${name}.js")
    endif()
    file(READ "${file}" part)
    string(APPEND script "${part}\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endforeach()
  file(READ "${shared}/style.css" style)
  file(READ "${folder}/page.html" page)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${shared}/style.css" "${folder}/page.html")
  string(REPLACE "{{style}}" "${style}" page "${page}")
  string(REPLACE "{{script}}" "${script}" page "${page}")
  configure_file("${shared}/page.cpp.in" "${output}" @ONLY)
endfunction()
