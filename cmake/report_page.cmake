# onnxpress_embed_page(<output.cpp>): one string of the files in cli/report_page/, so that the installed command needs no
# file beside it. Done when configuring; a change of one of them configures anew.
function(onnxpress_embed_page output)
  set(folder "${PROJECT_SOURCE_DIR}/cli/report_page")
  set(script "")
  foreach(name numbers entries treemap chart table page)  # in the order in which they need each other
    file(READ "${folder}/${name}.js" part)
    string(APPEND script "${part}\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/${name}.js")
  endforeach()
  file(READ "${folder}/style.css" style)
  file(READ "${folder}/page.html" page)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${folder}/style.css" "${folder}/page.html")
  string(REPLACE "{{style}}" "${style}" page "${page}")
  string(REPLACE "{{script}}" "${script}" page "${page}")
  configure_file("${folder}/page.cpp.in" "${output}" @ONLY)
endfunction()
