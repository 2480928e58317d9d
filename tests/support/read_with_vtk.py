# SPDX-License-Identifier: BSD-3-Clause
# Reads results as others do: every step of VTKHDF files with VTK's own reader (9.3 or newer) and every array with h5py, one as
# one is there. Exit 0: read; 1: not; 77: neither is installed.   read_with_vtk.py LEAST_STEPS file.vtkhdf…
import sys

least, files = int(sys.argv[1]), sys.argv[2:]
read = 0
try:
    from vtkmodules.vtkCommonCore import vtkVersion
    from vtkmodules.vtkIOHDF import vtkHDFReader
    has_vtk = (vtkVersion.GetVTKMajorVersion(), vtkVersion.GetVTKMinorVersion()) >= (9, 3)
except ImportError:
    has_vtk = False
try:
    import h5py
except ImportError:
    h5py = None

for name in files:
    if has_vtk:
        reader = vtkHDFReader()
        if not reader.CanReadFile(name):
            sys.exit(f"VTK cannot read {name}")
        reader.SetFileName(name)
        reader.UpdateInformation()
        steps = reader.GetNumberOfSteps()
        if steps < least:
            sys.exit(f"VTK sees {steps} steps in {name}, {least} were finished")
        for step in range(steps):
            reader.SetStep(step)
            reader.Update()
            data = reader.GetOutputDataObject(0)
            if reader.GetErrorCode() or data.GetNumberOfPoints() == 0:
                sys.exit(f"VTK cannot read step {step} of {name}")
        print(f"VTK {vtkVersion.GetVTKVersion()}: {steps} steps of {name}")
        read += 1
    if h5py:
        with h5py.File(name, "r") as file:
            steps = int(file["VTKHDF/Steps"].attrs["NSteps"])
            if steps < least:
                sys.exit(f"h5py sees {steps} steps in {name}, {least} were finished")
            count = []
            file.visititems(lambda _, item: count.append(item[()]) if isinstance(item, h5py.Dataset) else None)
        print(f"h5py {h5py.__version__}: {steps} steps and {len(count)} arrays of {name}")
        read += 1
sys.exit(0 if read else 77)
